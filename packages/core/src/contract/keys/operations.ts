import { keysCreate } from "./create.ts";
import { keysList } from "./list.ts";
import { keysRevoke } from "./revoke.ts";

export const keyOperations = {
  "keys.create": keysCreate,
  "keys.list": keysList,
  "keys.revoke": keysRevoke,
} as const;

import type { keyOperations } from "@tollgate/core/contract/keys";
import type { Handlers } from "../kernel/handler.ts";
import { keysCreate } from "./create.ts";
import { keysList } from "./list.ts";
import { keysRevoke } from "./revoke.ts";

export const keyHandlers: Handlers<typeof keyOperations> = {
  "keys.create": keysCreate,
  "keys.list": keysList,
  "keys.revoke": keysRevoke,
};

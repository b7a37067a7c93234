import type { suggestionOperations } from "@tollgate/core/contract/suggestions";
import type { Handlers } from "../kernel/handler.ts";
import { suggestionsList } from "./list.ts";

export const suggestionHandlers: Handlers<typeof suggestionOperations> = {
  "suggestions.list": suggestionsList,
};

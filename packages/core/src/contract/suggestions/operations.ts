import { suggestionsList } from "./list.ts";

export const suggestionOperations = {
  "suggestions.list": suggestionsList,
} as const;

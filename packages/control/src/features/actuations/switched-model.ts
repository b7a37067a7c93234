import { withoutProvider } from "@tollgate/core/suggestions/switched-saving";
import { readMetadata } from "../../kernel/read-metadata.ts";

/** The model that a `model_switch` with this payload sends calls to, by the name that events have; null: none. */
export function switchedModel(payload: string): string | null {
  const { model } = readMetadata(payload);
  return typeof model === "string" ? withoutProvider(model) : null;
}

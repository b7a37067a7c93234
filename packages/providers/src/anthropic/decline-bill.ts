import { jsonObjectOf, nameOf } from "@tollgate/core/wire/json-fields";

/** Whether Anthropic bills a request that a model has declined before its first word. */
export type DeclineBill = "free" | "billed" | "unknown";

/** By the policy that the request touches; undefined: none is named. */
const billByCategory: ReadonlyMap<string | undefined, DeclineBill> = new Map([
  [undefined, "free"],
  ["cyber", "free"],
  ["general_harms", "free"],
  ["bio", "billed"],
  ["frontier_llm", "billed"],
  ["reasoning_extraction", "billed"],
]);

/** `details`: the `stop_details` of a refusal, or the `trigger` of a handover to another model. */
export function declineBill(details: unknown): DeclineBill {
  return billByCategory.get(nameOf(jsonObjectOf(details)?.category)) ?? "unknown";
}

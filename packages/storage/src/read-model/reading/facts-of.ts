import { type RawBuilder, sql } from "kysely";
import { storableName } from "../../ledger/storable-name.ts";
import type { CallsOf } from "../queries/usage-queries.ts";

/** The column of facts for a key or customer, and its number (NULL for an unknown one). */
export function factsOf(
  scope: number,
  { keyId, customerId }: Omit<CallsOf, "agentId">,
): { readonly column: "used_key" | "customer"; readonly id: RawBuilder<number> } {
  if (keyId !== undefined) {
    const id = sql<number>`(SELECT id FROM used_keys WHERE scope = ${scope} AND key_id = ${keyId})`;
    return { column: "used_key", id };
  }
  const name = storableName(customerId ?? "");
  const id = sql<number>`(SELECT id FROM customers WHERE scope = ${scope} AND customer_id = ${name})`;
  return { column: "customer", id };
}

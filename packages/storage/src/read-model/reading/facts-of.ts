import { type RawBuilder, sql } from "kysely";
import { storableName } from "../../ledger/storable-name.ts";
import type { CallsOf } from "../queries/usage-queries.ts";

/** The number of a key or customer (NULL for an unknown one), and the condition that selects its facts. */
export function factsOf(
  scope: number,
  { keyId, customerId }: Omit<CallsOf, "agentId">,
): { readonly id: RawBuilder<number>; readonly condition: RawBuilder<unknown> } {
  if (keyId !== undefined) {
    const id = sql<number>`(SELECT id FROM used_keys WHERE scope = ${scope} AND key_id = ${keyId})`;
    return { id, condition: sql`used_key = ${id}` };
  }
  const name = storableName(customerId ?? "");
  const id = sql<number>`(SELECT id FROM customers WHERE scope = ${scope} AND customer_id = ${name})`;
  return { id, condition: sql`customer = ${id}` };
}

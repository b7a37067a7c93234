import { type RawBuilder, sql } from "kysely";
import { storableName } from "../ledger/storable-name.ts";
import type { CallsOf } from "./queries.ts";

/** The condition on facts that selects the calls of a key or a customer; unknown ones have none. */
export function factsOf(scope: number, { keyId, customerId }: Omit<CallsOf, "agentId">): RawBuilder<unknown> {
  return keyId === undefined
    ? sql`customer = (SELECT id FROM customers WHERE scope = ${scope} AND customer_id = ${storableName(customerId ?? "")})`
    : sql`used_key = (SELECT id FROM used_keys WHERE scope = ${scope} AND key_id = ${keyId})`;
}

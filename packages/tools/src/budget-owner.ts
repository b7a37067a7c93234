import { quoted } from "./quoted.ts";

/** Whose budget it is, in words. A budget that was changed has no fields where a status has null. */
export function budgetOwner({
  agent_id: agentId,
  key_id: keyId,
  customer_id: customerId,
}: {
  readonly agent_id?: string | null | undefined;
  readonly key_id?: string | null | undefined;
  readonly customer_id?: string | null | undefined;
}): string {
  if (agentId != null) return `agent ${agentId}`;
  if (keyId != null) return `key ${keyId}`;
  return customerId == null ? "the whole organization" : `customer ${quoted(customerId)}`;
}

import { fail } from "@tollgate/core/errors";
import type { NewAgent } from "@tollgate/storage/ledger/ledger";
import type { Call, Endpoint, Identified, Routed } from "../call.ts";
import type { Gateway } from "../gateway.ts";
import { describeFault } from "../log.ts";

/**
 * Lets a call in: limits, agents, and the intent on disk. Between the checks and the counting nothing waits, so
 * a thousand calls at once cannot all see the last free place. (Budgets reserve here, in the same turn.)
 */
export async function admit(
  identified: Identified,
  routed: Routed,
  endpoint: Endpoint,
  headers: Headers,
  gateway: Gateway,
): Promise<Call> {
  const { caller, agentKey } = identified;
  const { limits } = caller;
  // Whatever may fail comes before the counting: a call that is not let in must not use up a place.
  const requestHash = saltedHash(caller.hashSalt, routed.bytes);
  const prefixHash = hashOf(caller.hashSalt, endpoint.dialect.prefix(routed.body));
  const createdAt = gateway.now();
  gateway.limits.check(caller, limits, createdAt);
  const isNewAgent = gateway.agents.isNew(caller, agentKey, limits);
  gateway.limits.take(caller, createdAt);
  if (isNewAgent) gateway.agents.remember(caller, agentKey);

  const call: Call = {
    // Written out: copying two objects into a third costs more than all the rest of this function.
    caller,
    providerKey: identified.providerKey,
    agentKey,
    sessionId: identified.sessionId,
    customerId: identified.customerId,
    bytes: routed.bytes,
    body: routed.body,
    summary: routed.summary,
    provider: routed.provider,
    model: routed.model,
    exchange: routed.exchange,
    id: gateway.newId(),
    endpoint,
    createdAt,
    startedAt: performance.now(),
    requestHash,
    prefixHash,
    clientHeaders: headers,
    limitHeaders: gateway.limits.headers(caller, limits, createdAt),
  };
  try {
    await gateway.ledger.journal(intentOf(call), isNewAgent ? newAgent(call) : null);
  } catch (fault) {
    gateway.limits.giveBack(caller, createdAt);
    if (isNewAgent) gateway.agents.forget(caller, agentKey);
    gateway.log("error", "the ledger cannot be written: calls are refused", describeFault(fault));
    throw fail("ledger_unavailable", "the call was not made because it cannot be recorded");
  }
  return call;
}

function intentOf(call: Call) {
  return {
    id: call.id,
    org_id: call.caller.orgId,
    mode: call.caller.mode,
    created_at: call.createdAt,
    endpoint: call.endpoint.path,
    stream: call.summary.stream,
    agent_key: call.agentKey,
    session_id: call.sessionId,
    customer_id: call.customerId,
    provider: call.provider.id,
    model: call.model,
    requested_model: call.summary.model,
    request_hash: call.requestHash,
    prefix_hash: call.prefixHash,
    prompt_bytes: call.exchange.promptBytes,
    max_output_tokens: call.summary.maxOutputTokens,
  };
}

function newAgent(call: Call): NewAgent {
  return {
    id: crypto.randomUUID(),
    org_id: call.caller.orgId,
    mode: call.caller.mode,
    agent_key: call.agentKey,
    first_seen_at: call.createdAt,
  };
}

function hashOf(salt: string, prefix: string): string | null {
  return prefix === "" ? null : saltedHash(salt, prefix);
}

/** Equal requests of one organization can be told; what they said, and equals elsewhere, cannot. */
function saltedHash(salt: string, content: string | Uint8Array): string {
  return new Bun.SHA256().update(salt).update(content).digest("hex").slice(0, 32);
}

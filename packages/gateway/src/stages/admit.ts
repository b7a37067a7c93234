import { fail, type TollgateError } from "@tollgate/core/errors";
import { describeFault } from "@tollgate/core/log";
import type { Intent } from "@tollgate/storage/ledger/intent";
import type { NewAgent } from "@tollgate/storage/ledger/ledger";
import { capOutput } from "../budgets/cap-output.ts";
import type { Hold } from "../budgets/hold.ts";
import type { Call, Endpoint, Identified, Routed } from "../call.ts";
import type { Gateway } from "../gateway.ts";
import { splitUrl } from "../split-url.ts";

/**
 * Lets a call in: limits, agents, budgets, and the intent on disk. Between the checks and the counting nothing
 * waits, so a thousand calls at once cannot all see the last free place, nor the last cent.
 */
export function admit(
  id: string,
  identified: Identified,
  routed: Routed,
  endpoint: Endpoint,
  request: Request,
  gateway: Gateway,
): Call | Promise<Call> {
  const { hashSalt } = identified.caller;
  // Whatever may fail comes before the counting: a call that is not let in must not use up a place.
  const hashes = {
    requestHash: saltedHash(hashSalt, routed.bytes),
    prefixHash: hashOf(hashSalt, endpoint.dialect.prefix(routed.body)),
  };
  const place = takePlace(identified, routed, gateway, false);
  if (place !== null) return letIn(id, identified, routed, endpoint, request, hashes, place, gateway);
  return waitForPlace(identified, routed, gateway).then(later =>
    letIn(id, identified, routed, endpoint, request, hashes, later, gateway),
  );
}

interface Hashes {
  readonly requestHash: string;
  readonly prefixHash: string | null;
}

/** It has its place: from here on only the disk can refuse it. Resolves once its intent is there. */
function letIn(
  id: string,
  identified: Identified,
  routed: Routed,
  endpoint: Endpoint,
  request: Request,
  { requestHash, prefixHash }: Hashes,
  place: Place,
  gateway: Gateway,
): Call | Promise<Call> {
  const { caller, agentKey } = identified;
  const { createdAt, isNewAgent, hold } = place;
  const sent = withinBudget(identified, routed, endpoint, request, place, gateway);

  const call: Call = {
    // Written out: copying two objects into a third costs more than all the rest of this function.
    caller,
    providerKey: routed.steering === null ? identified.providerKey : routed.steering.providerKey,
    agentKey,
    sessionId: identified.sessionId,
    customerId: identified.customerId,
    bytes: routed.bytes,
    body: sent.body,
    summary: sent.summary,
    source: routed.source,
    provider: routed.provider,
    model: routed.model,
    exchange: sent.exchange,
    steering: routed.steering,
    id,
    endpoint,
    createdAt,
    startedAt: performance.now(),
    requestHash,
    prefixHash,
    clientHeaders: request.headers,
    hold,
    limitHeaders: gateway.limits.headers(caller, caller.limits, createdAt),
  };
  let writing: Promise<void> | undefined;
  try {
    writing = gateway.ledger.journal(intentOf(call), isNewAgent ? newAgent(call) : null);
  } catch (fault) {
    throw unrecorded(fault, identified, place, gateway);
  }
  tellOfWarning(call, gateway);
  return writing === undefined ? call : untilWritten(writing, call, identified, place, gateway);
}

async function untilWritten(
  writing: Promise<void>,
  call: Call,
  identified: Identified,
  place: Place,
  gateway: Gateway,
): Promise<Call> {
  try {
    await writing;
  } catch (fault) {
    throw unrecorded(fault, identified, place, gateway);
  }
  return call;
}

function unrecorded(fault: unknown, identified: Identified, place: Place, gateway: Gateway): TollgateError {
  giveBack(identified, place, gateway);
  gateway.log("error", "the ledger cannot be written: calls are refused", describeFault(fault));
  return fail("ledger_unavailable", "the call was not made because it cannot be recorded");
}

function tellOfWarning({ id, hold }: Call, gateway: Gateway): void {
  if (hold === null || hold.warning === null) return;
  gateway.log("warn", "a call proceeds over the limit of its budget", {
    event_id: id,
    budgets: hold.warning,
  });
}

interface Place {
  /** Epoch milliseconds: of the call's period, whenever it ends. */
  readonly createdAt: number;
  readonly isNewAgent: boolean;
  readonly hold: Hold | null;
}

/** null: only reservations of other calls are in the way. Throws whatever else is. Nothing in here may wait. */
function takePlace(
  identified: Identified,
  routed: Routed,
  gateway: Gateway,
  mustDecide: boolean,
): Place | null {
  const { caller, agentKey } = identified;
  const createdAt = gateway.now();
  gateway.limits.check(caller, caller.limits, createdAt);
  const isNewAgent = gateway.agents.isNew(caller, agentKey, caller.limits);
  const hold = gateway.budgets.reserve(identified, routed, createdAt, mustDecide);
  if (hold === "wait") return null;
  gateway.limits.take(caller, createdAt);
  if (isNewAgent) gateway.agents.remember(caller, agentKey);
  return { createdAt, isNewAgent, hold };
}

function waitForPlace(identified: Identified, routed: Routed, gateway: Gateway): Promise<Place> {
  return gateway.budgets.waitForRoom(identified.caller, isLastTime => {
    if (gateway.inFlight.draining) throw fail("shutting_down", "the gateway is shutting down");
    return takePlace(identified, routed, gateway, isLastTime);
  });
}

/** What a strict budget has left bounds the answer. */
function withinBudget(
  identified: Identified,
  routed: Routed,
  endpoint: Endpoint,
  request: Request,
  place: Place,
  gateway: Gateway,
): Routed {
  const strict = place.hold === null ? null : place.hold.strict;
  if (strict === null || strict.isAsAsked) return routed;
  try {
    const query = endpoint.forwardsQuery ? splitUrl(request.url).query : "";
    return capOutput(routed, endpoint, query, strict.outputTokens);
  } catch (fault) {
    giveBack(identified, place, gateway);
    throw fault;
  }
}

/** The call was not made after all. */
function giveBack({ caller, agentKey }: Identified, place: Place, gateway: Gateway): void {
  gateway.limits.giveBack(caller, place.createdAt);
  if (place.isNewAgent) gateway.agents.forget(caller, agentKey);
  gateway.budgets.giveBack(caller, place.hold);
}

function intentOf(call: Call): Intent {
  const assignment = call.steering === null ? null : call.steering.assignment;
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
    // Not null: what is undefined costs a call outside every experiment no byte in its slot.
    experiment_id: assignment === null ? undefined : assignment.experimentId,
    arm: assignment === null ? undefined : assignment.arm,
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

import { fail, type TollgateError } from "@tollgate/core/errors";
import { describeFault } from "@tollgate/core/log";
import { askedService } from "@tollgate/core/pricing/asked-service";
import type { Intent } from "@tollgate/storage/ledger/intent";
import { LedgerLost, type NewAgent } from "@tollgate/storage/ledger/ledger";
import { capOutput } from "../budgets/cap-output.ts";
import { type Hold, strictBudgets } from "../budgets/hold.ts";
import type { Call, Endpoint, Identified, Routed } from "../call/call.ts";
import type { Gateway } from "../gateway.ts";
import { queryFor } from "../request/split-url.ts";

/** A call that nothing but limits, budgets and the disk can stop. */
interface Arrival {
  readonly id: string;
  readonly identified: Identified;
  readonly routed: Routed;
  readonly endpoint: Endpoint;
  readonly request: Request;
}

/**
 * Lets a call in: limits, agents, budgets, and the intent on disk. Between the checks and the counting nothing
 * waits, so a thousand calls at once cannot all see the last free place, nor the last cent.
 */
export function admit(arrival: Arrival, gateway: Gateway): Call | Promise<Call> {
  // Whatever may fail comes before the counting: a call that is not let in must not use up a place.
  const hashes = hashesOf(arrival);
  const place = takePlace(arrival, gateway, false);
  if (place !== null) return letIn(arrival, hashes, place, gateway);
  return waitForPlace(arrival, gateway).then(later => letIn(arrival, hashes, later, gateway));
}

/** It has its place: from here on only the disk can refuse it. */
function letIn(arrival: Arrival, hashes: Hashes, place: Place, gateway: Gateway): Call | Promise<Call> {
  const call = callOf(arrival, hashes, place, gateway);
  let writing: Promise<void> | undefined;
  try {
    writing = gateway.ledger.journal(intentOf(call), place.isNewAgent ? newAgent(call) : null);
  } catch (fault) {
    throw unrecorded(fault, arrival, place, gateway);
  }
  if (writing === undefined) return proceeding(call, gateway);
  return writing.then(
    () => proceeding(call, gateway),
    fault => {
      throw unrecorded(fault, arrival, place, gateway);
    },
  );
}

function callOf(arrival: Arrival, { requestHash, prefixHash }: Hashes, place: Place, gateway: Gateway): Call {
  const { id, identified, routed, endpoint, request } = arrival;
  const { caller } = identified;
  const { createdAt, hold } = place;
  const sent = withinBudget(arrival, place, gateway);
  return {
    // Written out: copying two objects into a third costs more than all the rest of this function.
    caller,
    providerKey: routed.steering === null ? identified.providerKey : routed.steering.providerKey,
    agentKey: identified.agentKey,
    sessionId: identified.sessionId,
    customerId: identified.customerId,
    configVersion: identified.configVersion,
    traceparent: identified.traceparent,
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
    startedAt: gateway.uptimeMs(),
    requestHash,
    prefixHash,
    clientHeaders: request.headers,
    hold,
    limitHeaders: gateway.limits.headers(caller, caller.limits, createdAt),
  };
}

function proceeding(call: Call, gateway: Gateway): Call {
  if (call.hold !== null && call.hold.warning !== null) {
    gateway.log("warn", "a call proceeds over the limit of its budget", {
      event_id: call.id,
      budgets: call.hold.warning,
    });
  }
  return call;
}

function unrecorded(fault: unknown, arrival: Arrival, place: Place, gateway: Gateway): TollgateError {
  giveBack(arrival, place, gateway);
  // Said once, when it was noticed.
  if (fault instanceof LedgerLost) return fail("ledger_lost", "the call was not made: the ledger is lost");
  gateway.log("error", "the ledger cannot be written: calls are refused", describeFault(fault));
  return fail("ledger_unavailable", "the call was not made because it cannot be recorded");
}

interface Place {
  /** Epoch milliseconds: of the call's period, whenever it ends. */
  readonly createdAt: number;
  readonly isNewAgent: boolean;
  readonly hold: Hold | null;
}

/** null: only reservations of other calls are in the way. Throws whatever else is. Nothing in here may wait. */
function takePlace({ identified, routed }: Arrival, gateway: Gateway, mustDecide: boolean): Place | null {
  const { caller, agentKey } = identified;
  const createdAt = gateway.now();
  gateway.limits.check(caller, caller.limits, createdAt);
  const isNewAgent = gateway.agents.isNew(caller, agentKey, caller.limits);
  const reserved = gateway.budgets.reserve(identified, routed, createdAt, mustDecide);
  if (reserved.kind === "wait") return null;
  gateway.limits.take(caller, createdAt);
  if (isNewAgent) gateway.agents.remember(caller, agentKey);
  return { createdAt, isNewAgent, hold: reserved.kind === "held" ? reserved : null };
}

function waitForPlace(arrival: Arrival, gateway: Gateway): Promise<Place> {
  return gateway.budgets.waitForRoom(arrival.identified.caller, isLastTime => {
    if (gateway.inFlight.draining) throw fail("shutting_down", "the gateway is shutting down");
    // Nobody reads this: the client left while its call waited, and the provider must not be paid for it.
    if (arrival.request.signal.aborted) throw fail("client_left", "the client left before the call was made");
    return takePlace(arrival, gateway, isLastTime);
  });
}

/** What a strict budget has left bounds the answer. */
function withinBudget(arrival: Arrival, place: Place, gateway: Gateway): Routed {
  const { routed, endpoint, request } = arrival;
  const strict = place.hold === null ? null : place.hold.strict;
  if (strict === null || strict.isAsAsked) return routed;
  try {
    return capOutput(routed, endpoint, queryFor(endpoint, request), strict.outputTokens);
  } catch (fault) {
    giveBack(arrival, place, gateway);
    throw fault;
  }
}

/** The call was not made after all. */
function giveBack({ identified }: Arrival, place: Place, gateway: Gateway): void {
  const { caller, agentKey } = identified;
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
    asked_service: askedService(call.provider.id, call.body, call.exchange.isNative) ?? undefined,
    budget_flags: call.hold?.flags ?? undefined,
    worst_microcents: call.hold?.strict?.amount,
    strict_budgets: strictBudgetsOf(call.hold),
    // Not null: what is undefined costs a call outside every experiment no byte in its slot.
    experiment_id: assignment === null ? undefined : assignment.experimentId,
    arm: assignment === null ? undefined : assignment.arm,
    traceparent: call.traceparent ?? undefined,
    config_version: call.configVersion ?? undefined,
  };
}

function strictBudgetsOf(hold: Hold | null): Intent["strict_budgets"] {
  if (hold === null || hold.strict === null) return undefined;
  return strictBudgets(hold).map(({ id, since }) => ({ id, since }));
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

interface Hashes {
  readonly requestHash: string;
  readonly prefixHash: string | null;
}

function hashesOf({ identified, routed, endpoint }: Arrival): Hashes {
  const { hashSalt } = identified.caller;
  const prefix = endpoint.dialect.prefix(routed.body);
  return {
    requestHash: saltedHash(hashSalt, routed.bytes),
    prefixHash: prefix === "" ? null : saltedHash(hashSalt, prefix),
  };
}

/** Equal requests of one organization can be told; what they said, and equals elsewhere, cannot. */
function saltedHash(salt: string, content: string | Uint8Array): string {
  return new Bun.SHA256().update(salt).update(content).digest("hex").slice(0, 32);
}

import { fail, type TollgateError } from "@tollgate/core/errors";
import { LedgerLost } from "@tollgate/storage/ledger/ledger";
import { capOutput } from "../budgets/cap-output.ts";
import type { Patience } from "../budgets/headroom-queue.ts";
import type { Hold } from "../budgets/hold.ts";
import type { Call } from "../call/call.ts";
import { intentOf, newAgent } from "../call/intent-of.ts";
import { type Hashes, hashesOf } from "../call/request-hashes.ts";
import type { Gateway } from "../gateway.ts";
import { CallGrants } from "../limits/call-grants.ts";
import type { SharedGrants } from "../limits/call-limits.ts";
import type { Endpoint, Identified, Routed } from "../request/routed.ts";
import { queryFor } from "../request/split-url.ts";

/** A call that only limits, budgets and the disk can still refuse. */
interface Arrival {
  readonly id: string;
  readonly identified: Identified;
  readonly routed: Routed;
  readonly endpoint: Endpoint;
  readonly request: Request;
}

/**
 * Checks limits, agents and budgets, and journals the intent. Each check and its count are one synchronous step, so a
 * thousand concurrent calls cannot all take the last slot, nor the last cent.
 */
export function admit(arrival: Arrival, gateway: Gateway): Call | Promise<Call> {
  // Before the slot is taken: hashing may throw, and a refused call must not use up a slot.
  const hashes = hashesOf(arrival.identified.caller.hashSalt, arrival.routed, arrival.endpoint);
  const isOneOfSeveral = gateway.sharedBurst !== null && arrival.identified.pair === null;
  return isOneOfSeveral ? admitShared(arrival, hashes, gateway) : admitWithin(arrival, hashes, gateway);
}

/** A refused call gives back its part of limits that several gateways share. */
function admitShared(arrival: Arrival, hashes: Hashes, gateway: Gateway): Call | Promise<Call> {
  const { caller, agentKey } = arrival.identified;
  const grants = new CallGrants(caller, agentKey, gateway);
  try {
    const asking = grants.ask();
    const call =
      asking === null
        ? admitWithin(arrival, hashes, gateway, grants)
        : admitAfter(asking, arrival, hashes, gateway, grants);
    return call instanceof Promise ? endAfter(call, grants) : call;
  } catch (fault) {
    grants.refused();
    throw fault;
  }
}

async function admitAfter(
  asking: Promise<void>,
  arrival: Arrival,
  hashes: Hashes,
  gateway: Gateway,
  grants: CallGrants,
): Promise<Call> {
  await asking;
  return await admitWithin(arrival, hashes, gateway, grants);
}

async function endAfter(admitting: Promise<Call>, grants: CallGrants): Promise<Call> {
  try {
    return await admitting;
  } catch (fault) {
    grants.refused();
    throw fault;
  }
}

function admitWithin(
  arrival: Arrival,
  hashes: Hashes,
  gateway: Gateway,
  grants?: SharedGrants,
): Call | Promise<Call> {
  const slot = reserveSlot(arrival, gateway, "patient", grants);
  if (slot !== null) return admitNow(arrival, hashes, slot, gateway);
  return waitForSlot(arrival, gateway, grants).then(later => admitNow(arrival, hashes, later, gateway));
}

/** The slot is reserved: from here on only the disk can refuse the call. */
function admitNow(arrival: Arrival, hashes: Hashes, slot: Slot, gateway: Gateway): Call | Promise<Call> {
  const call = callOf(arrival, hashes, slot, gateway);
  let writing: Promise<void> | undefined;
  try {
    writing = gateway.ledger.journal(intentOf(call), slot.isNewAgent ? newAgent(call) : null);
  } catch (fault) {
    throw ledgerUnavailable(fault, arrival, slot, gateway);
  }
  if (writing === undefined) return warnIfOverBudget(call, gateway);
  return writing.then(
    () => warnIfOverBudget(call, gateway),
    fault => {
      throw ledgerUnavailable(fault, arrival, slot, gateway);
    },
  );
}

function callOf(arrival: Arrival, { requestHash, prefixHash }: Hashes, slot: Slot, gateway: Gateway): Call {
  const { id, identified, routed, endpoint, request } = arrival;
  const { caller } = identified;
  const { createdAtMs, hold } = slot;
  const sent = withinBudget(arrival, slot, gateway);
  return {
    // Field by field: spreading two objects into a third costs more than the rest of this function.
    caller,
    providerKey: routed.steering === null ? identified.providerKey : routed.steering.providerKey,
    agentKey: identified.agentKey,
    sessionId: identified.sessionId,
    customerId: identified.customerId,
    configVersion: identified.configVersion,
    traceparent: identified.traceparent,
    pair: identified.pair,
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
    createdAtMs,
    startedAtMs: gateway.uptimeMs(),
    requestHash,
    prefixHash,
    clientHeaders: request.headers,
    hold,
    limitHeaders: gateway.limits.headers(caller, createdAtMs),
  };
}

function warnIfOverBudget(call: Call, gateway: Gateway): Call {
  if (call.hold !== null && call.hold.warning !== null) {
    gateway.log("warn", "a call proceeds over the limit of its budget", {
      event_id: call.id,
      budgets: call.hold.warning,
    });
  }
  return call;
}

function ledgerUnavailable(fault: unknown, arrival: Arrival, slot: Slot, gateway: Gateway): TollgateError {
  release(arrival, slot, gateway);
  // The loss was logged when it was detected.
  if (fault instanceof LedgerLost) return fail("ledger_lost", "the call was not made: the ledger is lost");
  gateway.ledgerState.failed(fault);
  return fail("ledger_unavailable", "the call was not made because it cannot be recorded");
}

interface Slot {
  /** Epoch milliseconds. Determines the budget period, whenever the call ends. */
  readonly createdAtMs: number;
  readonly isNewAgent: boolean;
  readonly hold: Hold | null;
}

/** null: only other calls' reservations use up the headroom. Throws every other refusal. Must be synchronous. */
function reserveSlot(
  { identified, routed }: Arrival,
  gateway: Gateway,
  patience: Patience,
  grants: SharedGrants | undefined,
): Slot | null {
  const { caller, agentKey } = identified;
  const createdAtMs = gateway.now();
  // A verification's calls do not count toward the organization's limits.
  const isClients = identified.pair === null;
  if (isClients) gateway.limits.check(caller, createdAtMs, grants);
  const isNewAgent = isClients && gateway.agents.isNew(caller, agentKey);
  const reserved = gateway.budgets.reserve(identified, routed, createdAtMs, patience);
  if (reserved.kind === "wait") return null;
  if (isClients) gateway.limits.take(caller, createdAtMs, grants);
  if (isNewAgent) gateway.agents.remember(caller, agentKey);
  return { createdAtMs, isNewAgent, hold: reserved.kind === "held" ? reserved : null };
}

function waitForSlot(arrival: Arrival, gateway: Gateway, grants: SharedGrants | undefined): Promise<Slot> {
  return gateway.budgets.waitForHeadroom(arrival.identified, patience => {
    if (gateway.inFlight.draining) throw fail("shutting_down", "the gateway is shutting down");
    // Never sent: the client left while its call waited, and the provider must not be paid for it.
    if (arrival.request.signal.aborted) throw fail("client_left", "the client left before the call was made");
    return reserveSlot(arrival, gateway, patience, grants);
  });
}

/** A strict budget's headroom limits the answer. */
function withinBudget(arrival: Arrival, slot: Slot, gateway: Gateway): Routed {
  const { routed, endpoint, request } = arrival;
  const strict = slot.hold === null ? null : slot.hold.strict;
  if (strict === null || strict.isWithinRequest) return routed;
  try {
    // A shortened answer could not be compared.
    if (arrival.identified.pair !== null) {
      throw fail("budget_exceeded", "a strict budget does not allow this call of a verification");
    }
    return capOutput(routed, endpoint, queryFor(endpoint, request), strict.outputTokens);
  } catch (fault) {
    release(arrival, slot, gateway);
    throw fault;
  }
}

/** The call is not made after all. */
function release({ identified }: Arrival, slot: Slot, gateway: Gateway): void {
  const { caller, agentKey } = identified;
  if (identified.pair === null) gateway.limits.release(caller, slot.createdAtMs);
  if (slot.isNewAgent) gateway.agents.forget(caller, agentKey);
  gateway.budgets.release(caller, slot.hold);
}

import { fail, TollgateError } from "@tollgate/core/errors";
import type { Event } from "@tollgate/core/event";
import type { IngestedCall, SpanOrigin } from "@tollgate/core/ingestion/call";
import {
  CLOCK_SKEW_MS,
  contradicts,
  haveSameAnswer,
  isNamedBySpan,
} from "@tollgate/core/ingestion/same-call";
import { describeFault } from "@tollgate/core/log";
import { type Microcents, saturated, ZERO_MICROCENTS } from "@tollgate/core/money/money";
import { monthOf } from "@tollgate/core/time/month";
import { spanIdOf, traceIdOf } from "@tollgate/core/wire/traceparent";
import type { GatewayCaller } from "@tollgate/storage/config/directory";
import type { LinkableCall } from "@tollgate/storage/ledger/find-events";
import type { LinkedSpan } from "@tollgate/storage/ledger/ledger";
import type { NewAgent } from "@tollgate/storage/ledger/registered-agents";
import type { Settlement } from "@tollgate/storage/ledger/settling";
import type { Call } from "../call/call.ts";
import type { CallInFlight } from "../call/in-flight.ts";
import type { Gateway } from "../gateway.ts";
import { plausibleReading } from "../pricing/plausible-reading.ts";
import { comparedEvent, comparedInFlight, comparedIngested, modelsOf } from "./compared-call.ts";
import { ingestedId } from "./ingested-id.ts";
import type { Match, RecentCalls } from "./recent-calls.ts";
import type { SeenAnswers } from "./seen-answers.ts";
import { type IngestionOrigin, toSettlement } from "./to-settlement.ts";

/** The result for each call, in order. */
type Recorded = "accepted" | "duplicate" | { readonly error: string };

interface Recording {
  readonly results: readonly Recorded[];
  /** Of all accepted calls; null if one of them has no known price. */
  readonly cost: Microcents | null;
}

/** Rows per transaction: a large batch of spans must not delay calls. */
const SLICE = 250;
/**
 * Exporters wait ten seconds for an answer. A provider that has reported usage has only a frame or two left to send.
 */
const SETTLING_MS = 5000;

/**
 * Turns ingested calls into events, each exactly once. Lookup and write are one synchronous step, and pending writes
 * are tracked by id: two equal concurrent requests both succeed, and there is one event.
 */
export class CallRecorder {
  readonly #beingWritten = new Map<string, Promise<void>>();

  constructor(
    private readonly gateway: Gateway,
    private readonly answers: SeenAnswers,
    private readonly recent: RecentCalls,
  ) {}

  async record(
    calls: readonly IngestedCall[],
    caller: GatewayCaller,
    origin: IngestionOrigin,
  ): Promise<Recording> {
    await this.#awaitCallsInFlight(calls, caller);
    const results: Recorded[] = [];
    let cost: Microcents | null = ZERO_MICROCENTS;
    for (let from = 0; from < calls.length; from += SLICE) {
      // If the month ends during a request, recorded calls stay recorded; sent again, they are duplicates.
      if (from > 0) this.gateway.limits.checkMonth(caller, this.gateway.now());
      const slice = calls.slice(from, from + SLICE);
      await this.#registerAgents(slice, caller);
      await this.#catchUp(slice);
      const recorded = await this.#recordSlice(slice, caller, origin);
      results.push(...recorded.results);
      cost = sumOf(cost, recorded.cost);
    }
    return { results, cost };
  }

  /**
   * A client may have everything that its span reports while the gateway still waits for the provider's last bytes, or
   * for the disk. Calls that named the span, or whose tokens the client can know, get a moment to settle. If they do
   * not, the span becomes its own event, unless such a call's usage so far equals the span's.
   */
  async #awaitCallsInFlight(calls: readonly IngestedCall[], caller: GatewayCaller): Promise<void> {
    const inFlight = this.#callsInFlight(caller);
    if (inFlight.length === 0 || calls.every(({ span }) => span === null)) return;
    await this.#catchUp(calls);
    const unknown = calls.filter(
      call => call.span !== null && this.recent.find(caller.orgId, caller.mode, call) === null,
    );
    const names = new Set(unknown.map(({ span }) => span && spanNameOf(span)));
    const awaited = inFlight.filter(
      ({ call, meter }) =>
        names.has(namedSpanOf(call.traceparent)) ||
        (unknown.some(ingested => mayReport(ingested, call)) && plausibleReading(meter).usage !== null),
    );
    await this.gateway.inFlight.settled(awaited, SETTLING_MS);
  }

  /** Agents of one request that exceed the tier's number are refused call by call. */
  async #registerAgents(calls: readonly IngestedCall[], caller: GatewayCaller): Promise<void> {
    const { agents } = this.gateway;
    if (!agents.isShared) return;
    for (const agentKey of new Set(calls.map(call => call.agentKey))) {
      try {
        await agents.register(caller, agentKey);
      } catch (fault) {
        if (!(fault instanceof TollgateError)) throw fault;
      }
    }
  }

  /** Once it resolves, no earlier settlement is missing: the last two reads happen in one turn. */
  async #catchUp(calls: readonly IngestedCall[]): Promise<void> {
    const isTelemetry = calls.some(({ span }) => span !== null);
    if (!isTelemetry && calls.every(({ responseId }) => responseId === null)) return;
    await this.answers.catchUp();
    if (!isTelemetry) return;
    await this.recent.catchUp();
    await this.answers.catchUp();
  }

  #callsInFlight({ orgId, mode }: GatewayCaller): CallInFlight[] {
    return this.gateway.inFlight
      .all()
      .filter(({ call: { caller } }) => caller.orgId === orgId && caller.mode === mode);
  }

  async #recordSlice(
    calls: readonly IngestedCall[],
    caller: GatewayCaller,
    origin: IngestionOrigin,
  ): Promise<Recording> {
    const { gateway } = this;
    const now = gateway.now();
    const settlements = new Map<string, Settlement>();
    const newAgents = new Map<string, NewAgent>();
    const links = new Map<string, Match>();
    const inFlightByName = Map.groupBy(this.#callsInFlight(caller), ({ call }) =>
      namedSpanOf(call.traceparent),
    );
    const others = new Set<Promise<void>>();
    let cost: Microcents | null = ZERO_MICROCENTS;

    const results = calls.map((call): Recorded => {
      const id = call.identity ? ingestedId(caller.orgId, caller.mode, call.identity) : gateway.newId();
      const pending = this.#beingWritten.get(id);
      if (pending) others.add(pending);
      if (pending || settlements.has(id) || links.has(id) || this.#isKnown(id, call, caller)) {
        return "duplicate";
      }
      if (call.span && isOneOf(inFlightByName.get(spanNameOf(call.span)), call)) return "duplicate";
      const match = this.recent.find(caller.orgId, caller.mode, call);
      if (match !== null) {
        if (match.instrumentation !== null) links.set(id, match);
        this.recent.link(match, call);
        return "duplicate";
      }
      try {
        if (gateway.agents.isNew(caller, call.agentKey)) {
          gateway.agents.remember(caller, call.agentKey);
          newAgents.set(call.agentKey, newAgent(caller, call.agentKey, now));
        }
      } catch (fault) {
        if (fault instanceof TollgateError) return { error: fault.message };
        throw fault;
      }
      const settlement = toSettlement(id, call, caller, origin, gateway.prices.of(caller.orgId));
      settlements.set(id, settlement);
      if (call.span) this.recent.add(linkableCall(settlement.event), call.span.isRoot);
      cost = sumOf(cost, knownCost(settlement.event));
      return "accepted";
    });

    try {
      // What another request is writing must be on disk before it counts as a duplicate.
      await Promise.all([this.#write({ settlements, newAgents, links }, caller, now), ...others]);
    } catch (fault) {
      if (!gateway.ledgerState.isFailing) {
        gateway.log("error", "the ledger cannot be written: nothing is ingested", describeFault(fault));
      }
      void gateway.ledgerState.check();
      throw fail("ingestion_unavailable", "nothing can be recorded at the moment; send it again");
    }
    return { results, cost };
  }

  async #write(
    { settlements, newAgents, links }: Writing,
    caller: GatewayCaller,
    nowMs: number,
  ): Promise<void> {
    if (settlements.size === 0 && links.size === 0) return;
    const { gateway } = this;
    const month = monthOf(nowMs);
    const events = [...settlements.values()];
    const ofThisMonth = events.filter(({ event }) => monthOf(event.created_at) === month).length;
    gateway.limits.takeIngested(caller, ofThisMonth, nowMs);
    const ids = [...settlements.keys(), ...links.keys()];
    try {
      const written = gateway.ledger.ingest(events, [...newAgents.values()], linkedSpans(links));
      for (const id of ids) this.#beingWritten.set(id, written);
      await written;
    } catch (fault) {
      for (let given = 0; given < ofThisMonth; given++) gateway.limits.release(caller, nowMs);
      for (const agent of newAgents.values()) gateway.agents.forget(caller, agent.agent_key);
      for (const link of links.values()) this.recent.unlink(link);
      for (const { event } of events) this.recent.forget(event.id);
      throw fault;
    } finally {
      // On every path: an id left behind would make every resend a duplicate of a missing event.
      for (const id of ids) this.#beingWritten.delete(id);
    }
  }

  #isKnown(id: string, call: IngestedCall, { orgId, mode }: GatewayCaller): boolean {
    const { find } = this.gateway.ledger;
    if (call.identity && find.has(id)) return true;
    if (call.span !== null && find.isLinked(id)) return true;
    const { gatewayEventId, responseId } = call;
    const named = gatewayEventId === null ? null : find.gatewayCall(gatewayEventId, orgId, mode);
    if (named !== null && !contradicts(comparedIngested(call), comparedEvent(named))) return true;
    const answered = responseId === null ? null : this.answers.find(orgId, mode, responseId);
    return answered !== null && haveSameAnswer(comparedIngested(call), comparedEvent(answered));
  }
}

/** One transaction: settlements and links, by the event id that each call has, or would have had. */
interface Writing {
  readonly settlements: ReadonlyMap<string, Settlement>;
  readonly newAgents: ReadonlyMap<string, NewAgent>;
  readonly links: ReadonlyMap<string, Match>;
}

function linkedSpans(links: ReadonlyMap<string, Match>): LinkedSpan[] {
  return [...links].flatMap(([spanEventId, { eventId, instrumentation }]) =>
    instrumentation === null ? [] : [{ spanEventId, eventId, instrumentation }],
  );
}

function knownCost({ cost_basis, cost_microcents }: Event): Microcents | null {
  return cost_basis === "unpriced" ? null : cost_microcents;
}

function sumOf(a: Microcents | null, b: Microcents | null): Microcents | null {
  return a === null || b === null ? null : saturated(a + b);
}

function linkableCall(event: Event): LinkableCall {
  return { ...event, usage: JSON.stringify(event.usage), linkedBy: [] };
}

/** `<trace id>-<span id>`. */
function spanNameOf({ traceId, spanId }: Pick<SpanOrigin, "traceId" | "spanId">): string {
  return `${traceId}-${spanId}`;
}

function namedSpanOf(traceparent: string | null): string {
  if (traceparent === null) return "";
  return spanNameOf({ traceId: traceIdOf(traceparent), spanId: spanIdOf(traceparent) });
}

/** Whether the span reports one of these calls, judging by their usage so far. */
function isOneOf(named: readonly CallInFlight[] = [], ingested: IngestedCall): boolean {
  return named.some(call => isNamedBySpan(comparedIngested(ingested), comparedInFlight(call)));
}

/** Whether the span may report this call, whose tokens are not known yet. */
function mayReport(ingested: IngestedCall, call: Call): boolean {
  if (call.createdAtMs < ingested.createdAtMs - CLOCK_SKEW_MS) return false;
  if (call.createdAtMs > ingested.createdAtMs + ingested.latencyMs + CLOCK_SKEW_MS) return false;
  return modelsOf(ingested.model, ingested.servedModel).some(model =>
    modelsOf(call.model, call.summary.model).includes(model),
  );
}

function newAgent(caller: GatewayCaller, agentKey: string, nowMs: number): NewAgent {
  return {
    id: crypto.randomUUID(),
    org_id: caller.orgId,
    mode: caller.mode,
    agent_key: agentKey,
    first_seen_at: nowMs,
  };
}

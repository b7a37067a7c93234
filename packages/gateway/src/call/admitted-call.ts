import type { CostBasis, Event, EventStatus, PairMark } from "@tollgate/core/event";
import { askedService } from "@tollgate/core/pricing/asked-service";
import { BYTES_PER_TOKEN } from "@tollgate/core/pricing/estimate";
import { spanIdOf, traceIdOf } from "@tollgate/core/wire/traceparent";
import type { Meter, Reading } from "@tollgate/providers/meter";
import type { Settlement } from "@tollgate/storage/ledger/settling";
import { flagsOf } from "../budgets/hold.ts";
import type { Gateway } from "../gateway.ts";
import { allowedOutput } from "../pricing/allowed-output.ts";
import { hiddenOutput } from "../pricing/hidden-output.ts";
import { plausibleReading } from "../pricing/plausible-reading.ts";
import { type Ending, type HiddenOutput, type Priced, priceReading } from "../pricing/price-reading.ts";
import type { PairCall } from "../request/pair-call.ts";
import type { AnswerTap } from "./answer-tap.ts";
import type { Call } from "./call.ts";
import type { Listener, Watch } from "./deadlines.ts";
import type { InterruptibleCall } from "./in-flight.ts";
import { recycleController, takeController } from "./spare-controllers.ts";

/** Why the gateway itself ended the call, if it did. */
type BreakOff = "timeout" | "client_left" | "interrupted";

export interface CallResult {
  readonly status: EventStatus;
  /** The provider's response status; null if it never answered. */
  readonly httpStatus: number | null;
  readonly errorCode: string | null;
  readonly ending: Ending;
}

/** How long to wait for the usage of an answer after its client has left. */
const USAGE_PATIENCE_MS = 500;

/**
 * An admitted call until its one event. Every path ends in `settle`, and only its first invocation counts: a client
 * disconnect, a provider abort and a shutdown may coincide.
 */
export class AdmittedCall implements Listener, InterruptibleCall {
  /** Its index in the list of calls in flight. */
  index = -1;
  readonly meter: Meter;
  readonly watch: Watch;
  brokenOff: BreakOff | null = null;
  /** The provider may have read the request. */
  wasSent = false;
  /** Only the usage of a streamed answer is still to come. */
  isWritten = false;
  #firstOutputAtMs: number | null = null;
  /** Set when the response head arrives. */
  httpStatus: number | null = null;
  /** The whole answer, stored only if a verification compares it. */
  answer: string | null = null;
  /** Copies what is sent to the client; null for nearly every call. */
  tap: AnswerTap | null = null;
  /** null once the provider's answer was read to the end: there is nothing left to abort. */
  #controller: AbortController | null = takeController();
  #event: Promise<Event> | null = null;
  #outputFrames = 0;
  /** The reading at which a strict budget cut the stream. */
  #cutAt: Reading | null = null;

  constructor(
    readonly call: Call,
    private readonly gateway: Gateway,
    /** Taken from the room for bodies, and given back when the call ends. */
    private readonly memoryBytes: number,
  ) {
    this.meter = call.exchange.meter();
    this.watch = gateway.deadlines.watch(this);
    gateway.inFlight.enter(this);
    gateway.metrics.inFlight++;
  }

  get signal(): AbortSignal | null {
    return this.#controller?.signal ?? null;
  }

  get isSettled(): boolean {
    return this.#event !== null;
  }

  fellSilent(): void {
    this.breakOff("timeout");
  }

  interrupt(): void {
    this.breakOff("interrupted");
  }

  /** Aborts the upstream call. Whatever was waiting for it sees the abort and settles. */
  breakOff(why: BreakOff): void {
    this.brokenOff ??= why;
    this.abortUpstream();
  }

  /**
   * A streamed call is useless to a client that left, and aborting it saves money. It is still read to the end where
   * its exact cost is worth more: by configuration, or because a strict budget would have to withhold the unknown part.
   */
  get isDrained(): boolean {
    return (
      this.gateway.onDisconnect === "drain" || (this.call.hold !== null && this.call.hold.strict !== null)
    );
  }

  /**
   * What is still to come is read although the client has left. Clients often leave at the end of an answer, before its
   * usage: aborting it then would save nothing.
   */
  get isReadToEnd(): boolean {
    return this.isDrained || this.isWritten;
  }

  clientLeft(): void {
    if (!this.isReadToEnd) {
      this.breakOff("client_left");
      return;
    }
    if (!this.isDrained) this.watch.expireWithin(USAGE_PATIENCE_MS);
    this.brokenOff ??= "client_left";
  }

  abortUpstream(): void {
    this.#controller?.abort();
  }

  /** The response head arrived. */
  answered(httpStatus: number): void {
    this.watch.listen();
    this.httpStatus = httpStatus;
  }

  noteFirstOutput(): void {
    this.#firstOutputAtMs ??= this.gateway.uptimeMs();
  }

  /** Call when the provider's answer was read to the end. */
  upstreamEnded(): void {
    if (this.#controller) recycleController(this.#controller);
    this.#controller = null;
  }

  /** Resolves with the event once it is on disk. */
  settle(result: CallResult): Promise<Event> {
    this.#event ??= this.#settle(result);
    return this.#event;
  }

  #settle(result: CallResult): Promise<Event> {
    this.watch.stop();
    if (this.tap !== null && result.status !== "success") this.tap.drop();
    let settlement: Settlement;
    try {
      settlement = this.#conclude(result);
    } catch (fault) {
      // The intent stays open in this case; a shutdown must not wait for this call forever.
      this.gateway.budgets.release(this.call.caller, this.call.hold);
      this.#left();
      return Promise.reject(fault);
    }
    const settled = this.gateway.ledger.settle(settlement, () => {
      this.gateway.metrics.call(settlement.event);
      if (this.#showsPace()) this.gateway.answerPace.learn(settlement.event);
      this.#left();
    });
    // After the ledger: a budget's spend read from there must not miss this event.
    this.gateway.budgets.conclude(settlement.event, this.call.hold);
    return settled;
  }

  /**
   * Called after each frame; `before` is the reading before it. True if the answer now costs more than a strict budget
   * has reserved: then it must end here, and this frame is neither forwarded nor counted. A frame that only states
   * usage is accurate, and too late to save anything.
   */
  exceedsReservation(before: Reading, worstMicrocents: number): boolean {
    const reading = plausibleReading(this.meter);
    if (reading.outputBytes <= before.outputBytes) return false;
    this.#outputFrames++;
    // Priced as if it ended here: hidden output estimated from elapsed time must not cut an answer.
    if (
      this.#price(atLeast(reading, this.#outputFrames), "completed", null, null).fields.cost_microcents <=
      worstMicrocents
    ) {
      return false;
    }
    this.#cutAt = atLeast(before, this.#outputFrames - 1);
    return true;
  }

  #pace(): number {
    const { caller, provider, model } = this.call;
    return this.gateway.answerPace.tokensPerSecond(caller.orgId, provider.id, model);
  }

  /**
   * Several choices are generated concurrently, so their sum shows nothing about the pace of one. Neither does an
   * answer that waited for its client.
   */
  #showsPace(): boolean {
    return this.call.summary.choices === 1 && !this.watch.wasPaused;
  }

  #left(): void {
    this.gateway.metrics.inFlight--;
    this.gateway.inFlight.leave(this);
    this.gateway.bodyRoom.release(this.call.caller.orgId, this.memoryBytes);
  }

  #conclude(result: CallResult): Settlement {
    const { call } = this;
    const reading = this.#cutAt ?? plausibleReading(this.meter);
    // What was seen of an answer that exceeded its limit counts in full.
    const bound = reading.usage !== null || this.#cutAt !== null ? null : allowedOutput(call);
    const priced = this.#price(reading, result.ending, this.#hidden(reading, result.ending), bound);
    const assignment = call.steering === null ? null : call.steering.assignment;
    const event: Event = {
      id: call.id,
      external_id: null,
      org_id: call.caller.orgId,
      mode: call.caller.mode,
      key_id: call.pair === null ? call.caller.keyId : null,
      created_at: call.createdAtMs,
      source: call.pair === null ? "gateway" : call.pair.source,
      endpoint: call.endpoint.path,
      stream: call.summary.stream,
      agent_key: call.agentKey,
      session_id: call.sessionId,
      customer_id: call.customerId,
      config_version: call.configVersion,
      provider: call.provider.id,
      model: call.model,
      requested_model: call.summary.model,
      served_model: bounded(reading.servedModel),
      status: result.status,
      http_status: result.httpStatus,
      error_code: bounded(result.errorCode),
      latency_ms: Math.round(this.gateway.uptimeMs() - call.startedAtMs),
      ttft_ms: this.#firstOutputAtMs === null ? null : Math.round(this.#firstOutputAtMs - call.startedAtMs),
      // Written out: an object built with a spread is slow to create and slow to read afterwards.
      input_tokens: priced.fields.input_tokens,
      output_tokens: priced.fields.output_tokens,
      usage: priced.fields.usage,
      additional_usage: priced.fields.additional_usage,
      usage_source: priced.fields.usage_source,
      cost_microcents: priced.fields.cost_microcents,
      cost_basis: priced.fields.cost_basis,
      price_version: priced.fields.price_version,
      service_tier: bounded(reading.served.serviceTier),
      response_id: bounded(reading.responseId),
      request_hash: call.requestHash,
      prefix_hash: call.prefixHash,
      experiment_id: assignment === null ? null : assignment.experimentId,
      arm: assignment === null ? null : assignment.arm,
      budget_flags:
        call.hold === null
          ? null
          : flagsOf(call.hold, priced.fields.cost_microcents, isCostKnown(priced.fields.cost_basis)),
      trace_id: call.traceparent === null ? null : traceIdOf(call.traceparent),
      span_id: call.traceparent === null ? null : spanIdOf(call.traceparent),
      instrumentation: null,
      pair: call.pair === null ? null : this.#pairMark(call.pair, result),
    };
    return { event, cards: priced.cards };
  }

  #pairMark(pair: PairCall, result: CallResult): PairMark {
    return { ...pair.mark, result: pair.grade(result, this.answer) };
  }

  /** Only an estimate needs it. Of a complete answer, thinking alone may be unseen. */
  #hidden(reading: Reading, ending: Ending): HiddenOutput | null {
    if (reading.usage !== null || (ending !== "cut" && ending !== "completed")) return null;
    const elapsedMs = this.gateway.uptimeMs() - this.call.startedAtMs;
    const hidden = hiddenOutput(this.call, elapsedMs, this.#pace(), allowedOutput(this.call));
    return ending === "completed" && hidden?.kind !== "reasoning" ? null : hidden;
  }

  #price(reading: Reading, ending: Ending, hidden: HiddenOutput | null, outputBound: number | null): Priced {
    const { call } = this;
    return priceReading(
      {
        provider: call.provider.id,
        model: call.model,
        createdAtMs: call.createdAtMs,
        prompt: call.exchange.prompt,
        ending,
        asked:
          reading.usage === null ? askedService(call.provider.id, call.body, call.exchange.isNative) : null,
        hidden,
        outputBound,
      },
      reading,
      this.gateway.prices.of(call.caller.orgId),
    );
  }
}

function isCostKnown(basis: CostBasis): boolean {
  return basis === "priced" || basis === "reported";
}

/** A frame with output contains at least one token, however few bytes it has. */
function atLeast(reading: Reading, outputFrames: number): Reading {
  return { ...reading, outputBytes: Math.max(reading.outputBytes, outputFrames * BYTES_PER_TOKEN) };
}

/** Provider text is stored, but truncated. */
function bounded(text: string | null): string | null {
  return text === null ? null : text.slice(0, 256);
}

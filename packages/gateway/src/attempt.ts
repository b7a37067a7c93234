import type { Event, EventStatus } from "@tollgate/core/event";
import type { Meter } from "@tollgate/providers/meter";
import type { Settlement } from "@tollgate/storage/ledger/ledger";
import { believableReading } from "./believable-reading.ts";
import type { Call } from "./call.ts";
import type { Watch } from "./deadlines.ts";
import type { Gateway } from "./gateway.ts";
import { type Ending, priceReading } from "./price-reading.ts";
import { giveBackController, takeController } from "./spare-controllers.ts";

/** Why we broke off ourselves, if we did. */
export type BreakOff = "timeout" | "client_left" | "interrupted";

export interface Outcome {
  readonly status: EventStatus;
  /** The status the provider answered with; null if it never did. */
  readonly httpStatus: number | null;
  readonly errorCode: string | null;
  readonly ending: Ending;
}

/**
 * An admitted call on its way to its one event. Whatever happens, `settle` is called, and only the first call of
 * it counts: the client leaving, the provider breaking off and a shutdown may well coincide.
 */
export class Attempt {
  readonly meter: Meter;
  readonly watch: Watch;
  brokenOff: BreakOff | null = null;
  firstOutputAt: number | null = null;
  /** Once the provider's head is here. */
  httpStatus: number | null = null;
  /** null once the provider's answer was read to its end: there is nothing left to abort. */
  #controller: AbortController | null = takeController();
  readonly #leave: () => void;
  #event: Promise<Event> | null = null;

  constructor(
    readonly call: Call,
    private readonly gateway: Gateway,
  ) {
    this.meter = call.exchange.meter();
    this.watch = gateway.deadlines.watch(() => this.breakOff("timeout"));
    this.#leave = gateway.inFlight.enter(() => this.breakOff("interrupted"));
    gateway.metrics.inFlight++;
  }

  get signal(): AbortSignal | null {
    return this.#controller?.signal ?? null;
  }

  get isSettled(): boolean {
    return this.#event !== null;
  }

  /** Ends the upstream call now. What was waiting for it sees the abort and settles. */
  breakOff(why: BreakOff): void {
    this.brokenOff ??= why;
    this.abortUpstream();
  }

  /** A streamed call is worth nothing to a client that is gone; `drain` reads on, for its exact usage. */
  clientLeft(policy: "abort" | "drain"): void {
    if (policy === "abort") this.breakOff("client_left");
    else this.brokenOff ??= "client_left";
  }

  abortUpstream(): void {
    this.#controller?.abort();
  }

  /** The provider's answer was read to its end. */
  upstreamEnded(): void {
    if (this.#controller) giveBackController(this.#controller);
    this.#controller = null;
  }

  /** Resolves with the event once it is on disk. */
  settle(outcome: Outcome): Promise<Event> {
    this.#event ??= this.#settle(outcome);
    return this.#event;
  }

  #settle(outcome: Outcome): Promise<Event> {
    this.watch.stop();
    let settlement: Settlement;
    try {
      settlement = this.#conclude(outcome);
    } catch (fault) {
      // The intent stands then, and a shutdown must not wait for this call for ever.
      this.#left();
      return Promise.reject(fault);
    }
    return this.gateway.ledger.settle(settlement, () => {
      this.gateway.metrics.call(settlement.event);
      this.#left();
    });
  }

  #left(): void {
    this.gateway.metrics.inFlight--;
    this.#leave();
  }

  #conclude(outcome: Outcome): Settlement {
    const { call, gateway } = this;
    const reading = believableReading(this.meter);
    const priced = priceReading(
      {
        provider: call.provider.id,
        model: call.model,
        createdAt: call.createdAt,
        promptBytes: call.exchange.promptBytes,
        maxOutputTokens: call.summary.maxOutputTokens,
        ending: outcome.ending,
      },
      reading,
      gateway.catalogue,
    );
    const event: Event = {
      id: call.id,
      external_id: null,
      org_id: call.caller.orgId,
      mode: call.caller.mode,
      created_at: call.createdAt,
      source: "gateway",
      endpoint: call.endpoint.path,
      stream: call.summary.stream,
      agent_key: call.agentKey,
      session_id: call.sessionId,
      customer_id: call.customerId,
      config_version: null,
      provider: call.provider.id,
      model: call.model,
      requested_model: call.summary.model,
      served_model: bounded(reading.servedModel),
      status: outcome.status,
      http_status: outcome.httpStatus,
      error_code: bounded(outcome.errorCode),
      latency_ms: Math.round(performance.now() - call.startedAt),
      ttft_ms: this.firstOutputAt === null ? null : Math.round(this.firstOutputAt - call.startedAt),
      // Written out: with a spread in it, the record is slow to make and slow to read ever after.
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
      experiment_id: null,
      arm: null,
      budget_flags: null,
    };
    return { event, cards: priced.cards };
  }
}

/** Text from a provider is kept, but not at any length. */
function bounded(text: string | null): string | null {
  return text === null ? null : text.slice(0, 256);
}

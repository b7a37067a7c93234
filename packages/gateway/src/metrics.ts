import { errorCodes, errorKinds } from "@tollgate/core/errors";
import {
  type Event,
  eventSources,
  eventStatuses,
  isVerification,
  type Mode,
  modes,
} from "@tollgate/core/event";
import { PrometheusText } from "@tollgate/core/wire/prometheus-text";
import { Histogram } from "./histogram.ts";

const durationBoundsMs = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000];
const addedBoundsMs = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1000];

/**
 * Counters in memory, rendered in Prometheus' text format. They reset with the process, unlike the ledger. What can be
 * counted is there from the start, at 0: `increase()` does not see the step from no sample to the first one.
 */
export class Metrics {
  readonly #calls = new Map<string, number>();
  readonly #verification = zeros({
    mode: modes,
    source: eventSources.filter(isVerification),
    status: eventStatuses,
  });
  readonly #rejected = new Map(errorCodes.map(code => [rejection(errorKinds[code].status, code), 0]));
  readonly #budgetWaits = { admitted: 0, refused: 0 };
  readonly #allowances = { answered: 0, failed: 0 };
  readonly #durations = new Histogram(durationBoundsMs);
  readonly #added = new Histogram(addedBoundsMs);
  readonly #costMicrocents: Record<Mode, number> = { live: 0, test: 0 };
  readonly #unpriced: Record<Mode, number> = { live: 0, test: 0 };
  inFlight = 0;
  /** Calls whose burst limit was the gateway's share, because Redis did not answer. */
  burstFallbacks = 0;
  /** By retention. */
  removedEvents = 0;

  call(event: Event): void {
    const { mode, provider, endpoint, status, source, latency_ms: latencyMs } = event;
    if (isVerification(source)) {
      increment(this.#verification, `{mode="${mode}",source="${source}",status="${status}"}`);
      this.#costMicrocents[mode] += event.cost_microcents;
      return;
    }
    const labels = `{mode="${mode}",provider="${provider}",endpoint="${endpoint}",status="${status}"}`;
    // Few of all providers and endpoints are used, so that theirs begin with their first call.
    if (!this.#calls.has(labels)) {
      const known = { mode: modes, provider: [provider], endpoint: [endpoint], status: eventStatuses };
      for (const [sibling, zero] of zeros(known)) this.#calls.set(sibling, zero);
    }
    increment(this.#calls, labels);
    this.#costMicrocents[mode] += event.cost_microcents;
    if (event.cost_basis === "unpriced") this.#unpriced[mode]++;
    this.#durations.observe(latencyMs);
  }

  /** A call is about to be sent, this long after its request was read. */
  admitted(addedMs: number): void {
    this.#added.observe(addedMs);
  }

  /** A request for an allowance of a shared budget was answered, or failed. */
  allowance(result: "answered" | "failed"): void {
    this.#allowances[result]++;
  }

  /** A request that the gateway refused itself; it has no event. */
  rejected(status: number, code: string): void {
    increment(this.#rejected, rejection(status, code));
  }

  /** The result of a call's wait for reservations to be released. */
  budgetWait(result: "admitted" | "refused"): void {
    this.#budgetWaits[result]++;
  }

  render(gauges: Readonly<Record<string, number | null>>): string {
    const waits = labelled("outcome", this.#budgetWaits);
    const costs = labelled("mode", this.#costMicrocents);
    const unpriced = labelled("mode", this.#unpriced);
    const allowances = labelled("outcome", this.#allowances);
    return new PrometheusText()
      .add("counter", "svc_gateway_calls_total", "Calls that became an event, by outcome.", this.#calls)
      .add("counter", "svc_gateway_verification_calls_total", "Calls of verifications.", this.#verification)
      .add(
        "counter",
        "svc_gateway_rejected_total",
        "Requests that the gateway refused itself.",
        this.#rejected,
      )
      .add("counter", "svc_gateway_budget_waits_total", "Calls that waited for headroom in a budget.", waits)
      .add("histogram", "svc_gateway_call_duration_ms", "From admission to the last byte.", this.#durations)
      .add(
        "histogram",
        "svc_gateway_added_latency_ms",
        "From the request's last byte until it is sent.",
        this.#added,
      )
      .add("counter", "svc_gateway_cost_microcents_total", "Cost of calls since the start.", costs)
      .add("counter", "svc_gateway_unpriced_calls_total", "Calls whose cost is unknown.", unpriced)
      .add(
        "counter",
        "svc_gateway_allowance_transactions_total",
        "Requests for a part of a shared budget.",
        allowances,
      )
      .add(
        "counter",
        "svc_gateway_burst_fallbacks_total",
        "Calls limited by the gateway's share, without Redis.",
        [["", this.burstFallbacks]],
      )
      .add("counter", "svc_gateway_removed_events_total", "Events that retention removed.", [
        ["", this.removedEvents],
      ])
      .add("gauge", "svc_gateway_in_flight", "Calls under way.", [["", this.inFlight]])
      .addGauges(gauges)
      .toString();
  }
}

function rejection(status: number, code: string): string {
  return `{status="${status}",code="${code}"}`;
}

/** A counter for every combination of these labels' values. */
function zeros(labels: Readonly<Record<string, readonly string[]>>): Map<string, number> {
  const combined = Object.entries(labels).reduce<string[][]>(
    (sets, [label, values]) => sets.flatMap(set => values.map(value => [...set, `${label}="${value}"`])),
    [[]],
  );
  return new Map(combined.map(set => [`{${set.join(",")}}`, 0]));
}

function labelled(label: string, counts: Readonly<Record<string, number>>): [string, number][] {
  return Object.entries(counts).map(([value, count]) => [`{${label}="${value}"}`, count]);
}

function increment(counters: Map<string, number>, labels: string): void {
  counters.set(labels, (counters.get(labels) ?? 0) + 1);
}

import { type Event, isVerification, type Mode } from "@tollgate/core/event";
import { PrometheusText } from "@tollgate/core/wire/prometheus-text";

const latencyBoundsMs = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000];

/** Counters in memory, rendered in Prometheus' text format. They reset with the process, unlike the ledger. */
export class Metrics {
  readonly #calls = new Map<string, number>();
  readonly #verification = new Map<string, number>();
  readonly #rejected = new Map<string, number>();
  readonly #budgetWaits = { admitted: 0, refused: 0 };
  readonly #latency = new Array<number>(latencyBoundsMs.length + 1).fill(0);
  #latencySumMs = 0;
  #latencyCount = 0;
  readonly #costMicrocents: Record<Mode, number> = { live: 0, test: 0 };
  inFlight = 0;

  call(event: Event): void {
    const { mode, provider, endpoint, status, source, latency_ms: latencyMs } = event;
    if (isVerification(source)) {
      increment(this.#verification, `{mode="${mode}",source="${source}",status="${status}"}`);
      this.#costMicrocents[mode] += event.cost_microcents;
      return;
    }
    increment(
      this.#calls,
      `{mode="${mode}",provider="${provider}",endpoint="${endpoint}",status="${status}"}`,
    );
    this.#costMicrocents[mode] += event.cost_microcents;
    let bucket = 0;
    while (bucket < latencyBoundsMs.length && latencyMs > (latencyBoundsMs[bucket] ?? 0)) bucket++;
    this.#latency[bucket] = (this.#latency[bucket] ?? 0) + 1;
    this.#latencySumMs += latencyMs;
    this.#latencyCount++;
  }

  /** A call refused by the gateway itself: counted, but without an event. */
  rejected(status: number, code: string): void {
    increment(this.#rejected, `{status="${status}",code="${code}"}`);
  }

  /** The result of a call's wait for reservations to be released. */
  budgetWait(outcome: "admitted" | "refused"): void {
    this.#budgetWaits[outcome]++;
  }

  render(gauges: Readonly<Record<string, number>>): string {
    const waits = labelled("outcome", this.#budgetWaits);
    const costs = labelled("mode", this.#costMicrocents);
    return new PrometheusText()
      .add("counter", "svc_gateway_calls_total", "Calls that became an event, by outcome.", this.#calls)
      .add("counter", "svc_gateway_verification_calls_total", "Calls of verifications.", this.#verification)
      .add("counter", "svc_gateway_rejected_total", "Calls that the gateway refused itself.", this.#rejected)
      .add("counter", "svc_gateway_budget_waits_total", "Calls that waited for room in a budget.", waits)
      .add("histogram", "svc_gateway_call_duration_ms", "From admission to the last byte.", this.#durations())
      .add("counter", "svc_gateway_cost_microcents_total", "Cost of calls since the start.", costs)
      .add("gauge", "svc_gateway_in_flight", "Calls under way.", [["", this.inFlight]])
      .addGauges(gauges)
      .toString();
  }

  *#durations(): Generator<[string, number]> {
    let cumulative = 0;
    for (const [index, bound] of latencyBoundsMs.entries()) {
      cumulative += this.#latency[index] ?? 0;
      yield [`_bucket{le="${bound}"}`, cumulative];
    }
    yield ['_bucket{le="+Inf"}', this.#latencyCount];
    yield ["_sum", this.#latencySumMs];
    yield ["_count", this.#latencyCount];
  }
}

function labelled(label: string, counts: Readonly<Record<string, number>>): [string, number][] {
  return Object.entries(counts).map(([value, count]) => [`{${label}="${value}"}`, count]);
}

function increment(counters: Map<string, number>, labels: string): void {
  counters.set(labels, (counters.get(labels) ?? 0) + 1);
}

import type { Event, Mode } from "@tollgate/core/event";

const latencyBoundsMs = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000];

/** Counters in memory, rendered in Prometheus' text format. They reset with the process, unlike the ledger. */
export class Metrics {
  readonly #calls = new Map<string, number>();
  readonly #rejected = new Map<string, number>();
  readonly #budgetWaits = { admitted: 0, refused: 0 };
  readonly #latency = new Array<number>(latencyBoundsMs.length + 1).fill(0);
  #latencySumMs = 0;
  #latencyCount = 0;
  readonly #costMicrocents: Record<Mode, number> = { live: 0, test: 0 };
  inFlight = 0;

  call(event: Event): void {
    const { mode, provider, endpoint, status, latency_ms: latencyMs } = event;
    increment(this.#calls, `mode="${mode}",provider="${provider}",endpoint="${endpoint}",status="${status}"`);
    this.#costMicrocents[mode] += event.cost_microcents;
    let bucket = 0;
    while (bucket < latencyBoundsMs.length && latencyMs > (latencyBoundsMs[bucket] ?? 0)) bucket++;
    this.#latency[bucket] = (this.#latency[bucket] ?? 0) + 1;
    this.#latencySumMs += latencyMs;
    this.#latencyCount++;
  }

  /** A call refused by the gateway itself: counted, but without an event. */
  rejected(status: number, code: string): void {
    increment(this.#rejected, `status="${status}",code="${code}"`);
  }

  /** The result of a call's wait for reservations to be released. */
  budgetWait(outcome: "admitted" | "refused"): void {
    this.#budgetWaits[outcome]++;
  }

  render(gauges: Readonly<Record<string, number>>): string {
    const lines: string[] = [];
    const family = (name: string, type: string, help: string) =>
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);

    family("svc_gateway_calls_total", "counter", "Calls that became an event, by outcome.");
    for (const [labels, count] of this.#calls) lines.push(`svc_gateway_calls_total{${labels}} ${count}`);
    family("svc_gateway_rejected_total", "counter", "Calls that the gateway refused itself.");
    for (const [labels, count] of this.#rejected)
      lines.push(`svc_gateway_rejected_total{${labels}} ${count}`);

    family("svc_gateway_budget_waits_total", "counter", "Calls that waited for room in a budget.");
    for (const [outcome, count] of Object.entries(this.#budgetWaits))
      lines.push(`svc_gateway_budget_waits_total{outcome="${outcome}"} ${count}`);

    family("svc_gateway_call_duration_ms", "histogram", "Whole calls, from admission to the last byte.");
    let cumulative = 0;
    for (const [index, bound] of latencyBoundsMs.entries()) {
      cumulative += this.#latency[index] ?? 0;
      lines.push(`svc_gateway_call_duration_ms_bucket{le="${bound}"} ${cumulative}`);
    }
    lines.push(`svc_gateway_call_duration_ms_bucket{le="+Inf"} ${this.#latencyCount}`);
    lines.push(`svc_gateway_call_duration_ms_sum ${this.#latencySumMs}`);
    lines.push(`svc_gateway_call_duration_ms_count ${this.#latencyCount}`);

    family("svc_gateway_cost_microcents_total", "counter", "Cost of the calls since this process started.");
    for (const [mode, cost] of Object.entries(this.#costMicrocents))
      lines.push(`svc_gateway_cost_microcents_total{mode="${mode}"} ${cost}`);
    family("svc_gateway_in_flight", "gauge", "Calls under way.");
    lines.push(`svc_gateway_in_flight ${this.inFlight}`);
    for (const [name, value] of Object.entries(gauges)) {
      lines.push(`# TYPE ${name} gauge`, `${name} ${value}`);
    }
    return `${lines.join("\n")}\n`;
  }
}

function increment(counters: Map<string, number>, labels: string): void {
  counters.set(labels, (counters.get(labels) ?? 0) + 1);
}

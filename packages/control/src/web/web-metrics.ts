import type { FollowerStatus } from "@tollgate/storage/following/follower";

/** In-memory counters in Prometheus' text format. They reset with the process. */
export class WebMetrics {
  readonly #requests = new Map<string, number>();
  readonly #durations = new Map<string, { count: number; sumMs: number }>();

  answered(operation: string, status: number, durationMs: number): void {
    const labels = `operation="${operation}",status="${status}"`;
    this.#requests.set(labels, (this.#requests.get(labels) ?? 0) + 1);
    const known = this.#durations.get(operation) ?? { count: 0, sumMs: 0 };
    known.count++;
    known.sumMs += durationMs;
    this.#durations.set(operation, known);
  }

  render(gauges: Readonly<Record<string, number>>, followers: readonly FollowerStatus[] = []): string {
    const lines = [
      "# HELP svc_web_requests_total Requests to the web API, by operation and status.",
      "# TYPE svc_web_requests_total counter",
    ];
    for (const [labels, count] of this.#requests) lines.push(`svc_web_requests_total{${labels}} ${count}`);
    lines.push(
      "# HELP svc_web_request_duration_ms Time to answer, by operation.",
      "# TYPE svc_web_request_duration_ms summary",
    );
    for (const [operation, { count, sumMs }] of this.#durations) {
      lines.push(`svc_web_request_duration_ms_sum{operation="${operation}"} ${Math.round(sumMs)}`);
      lines.push(`svc_web_request_duration_ms_count{operation="${operation}"} ${count}`);
    }
    for (const [name, value] of Object.entries(gauges))
      lines.push(`# TYPE ${name} gauge`, `${name} ${value}`);
    lines.push(
      "# HELP svc_control_reader_position The last event that each reader of the ledger has taken.",
      "# TYPE svc_control_reader_position gauge",
      ...followers.map(
        ({ reader, position }) => `svc_control_reader_position{reader="${reader}"} ${position}`,
      ),
      "# HELP svc_control_reader_lag_events Events that each reader of the ledger has still to take.",
      "# TYPE svc_control_reader_lag_events gauge",
      ...followers.map(({ reader, lag }) => `svc_control_reader_lag_events{reader="${reader}"} ${lag}`),
      "# HELP svc_control_reader_faults_total Faults that each reader of the ledger has survived.",
      "# TYPE svc_control_reader_faults_total counter",
      ...followers.map(
        ({ reader, faults }) => `svc_control_reader_faults_total{reader="${reader}"} ${faults}`,
      ),
    );
    return `${lines.join("\n")}\n`;
  }
}

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

  render(gauges: Readonly<Record<string, number>>): string {
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
    return `${lines.join("\n")}\n`;
  }
}

import type { AnyOperation } from "@tollgate/core/contract/operation";
import { PrometheusText } from "@tollgate/core/wire/prometheus-text";
import type { FollowerStatus } from "@tollgate/storage/following/follower";
import type { NodeStatus } from "@tollgate/storage/shared-ledger/node-register";

/** Any operation can fail with these; operators set alerts on them. */
const faultStatuses = [500, 503];

/**
 * In-memory counters in Prometheus' text format. They reset with the process. Counters for the successes and faults of
 * every operation start at 0, because `increase()` does not count the first sample of a new series. Counters for refusals
 * start with the first refusal: there are too many kinds.
 */
export class WebMetrics {
  readonly #requests = new Map<string, number>();
  readonly #durations = new Map<string, { count: number; sumMs: number }>();

  constructor(operations: Iterable<Pick<AnyOperation, "id" | "status">>) {
    for (const { id, status } of operations) {
      for (const one of [status, ...faultStatuses]) this.#requests.set(labelsOf(id, one), 0);
    }
  }

  answered(operation: string, status: number, durationMs: number): void {
    const labels = labelsOf(operation, status);
    this.#requests.set(labels, (this.#requests.get(labels) ?? 0) + 1);
    const known = this.#durations.get(operation) ?? { count: 0, sumMs: 0 };
    known.count++;
    known.sumMs += durationMs;
    this.#durations.set(operation, known);
  }

  render(
    gauges: Readonly<Record<string, number | null>>,
    followers: readonly FollowerStatus[] = [],
    nodes: readonly NodeStatus[] = [],
  ): string {
    const durations = [...this.#durations].flatMap(([operation, { count, sumMs }]) => [
      [`_sum{operation="${operation}"}`, Math.round(sumMs)] as const,
      [`_count{operation="${operation}"}`, count] as const,
    ]);
    const ofReaders = (value: "position" | "lag" | "faults") =>
      followers.map(follower => [`{reader="${follower.reader}"}`, follower[value]] as const);
    const ofNodes = (value: (node: NodeStatus) => number) =>
      nodes.map(node => [`{node="${node.id}"}`, value(node)] as const);
    const silences = ofNodes(node => node.silentForMs / 1000);
    const unshipped = ofNodes(node => node.unshippedEvents);
    return new PrometheusText()
      .add("counter", "svc_web_requests_total", "Requests, by operation and status.", this.#requests)
      .add("summary", "svc_web_request_duration_ms", "Time to answer, by operation.", durations)
      .addGauges(gauges)
      .add("gauge", "svc_control_reader_position", "The last event processed.", ofReaders("position"))
      .add("gauge", "svc_control_reader_lag_events", "Events not processed yet.", ofReaders("lag"))
      .add("counter", "svc_control_reader_faults_total", "Faults that were retried.", ofReaders("faults"))
      .add("gauge", "svc_control_node_silence_seconds", "Since a gateway was last seen.", silences)
      .add("gauge", "svc_control_node_unshipped_events", "Events that a gateway has not shipped.", unshipped)
      .toString();
  }
}

function labelsOf(operation: string, status: number): string {
  return `{operation="${operation}",status="${status}"}`;
}

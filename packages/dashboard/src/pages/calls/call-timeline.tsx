import type { Output } from "../../data/use-operation.ts";
import { duration, secondTime } from "../../format/time.ts";

/** When the call arrived, when its answer began, and when it ended. */
export function CallTimeline({ event }: { readonly event: Output<"events.get"> }) {
  const { created_at, ttft_ms, latency_ms } = event;
  const arrivedMs = Date.parse(created_at);
  const share = ttft_ms === null || latency_ms === 0 ? null : Math.min(1, ttft_ms / latency_ms);
  return (
    <section aria-labelledby="timeline-title" className="panel-part">
      <h3 id="timeline-title">Timeline</h3>
      <div className="timeline-bar" aria-hidden="true">
        <span className="timeline-wait" style={{ flexGrow: share ?? 1 }} />
        {share !== null && <span className="timeline-answer" style={{ flexGrow: 1 - share }} />}
      </div>
      <ol className="timeline">
        <li>
          <span>Admitted</span>
          <span className="figure">{secondTime(created_at)}</span>
        </li>
        {ttft_ms !== null && (
          <li>
            <span>First byte of the answer</span>
            <span className="figure">after {duration(ttft_ms)}</span>
          </li>
        )}
        <li>
          <span>End</span>
          <span className="figure">
            after {duration(latency_ms)}, at {secondTime(arrivedMs + latency_ms)}
          </span>
        </li>
      </ol>
    </section>
  );
}

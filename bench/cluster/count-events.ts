import type { Cluster } from "./cluster.ts";

export interface EventCounts {
  /** Calls that reached the provider. */
  readonly served: number;
  /** Their events. */
  readonly events: number;
  /** Served calls without an event: must be 0. */
  readonly missing: number;
  /** Events beyond one for each time that a call was served: must be 0. */
  readonly doubled: number;
  /** Events of calls that never reached the provider: their gateway was killed between journal and provider. */
  readonly unserved: number;
}

/** Compares what the provider served with what is in PostgreSQL, for the calls whose ids begin with the name. */
export async function countEvents(
  { provider, postgres }: Cluster,
  name: string,
  afterPosition: number,
): Promise<EventCounts> {
  const rows = await postgres.query<{ call: string | null; events: string }>(
    `SELECT (event::json)->>'session_id' AS call, count(*) AS events
     FROM shared_events WHERE position > $1 GROUP BY 1`,
    [afterPosition],
  );
  const recorded = new Map(rows.map(({ call, events }) => [call ?? "", Number(events)]));
  const counts = { served: 0, events: 0, missing: 0, doubled: 0, unserved: 0 };
  for (const [id, { times }] of provider.served) {
    if (!id.startsWith(`${name}-`)) continue;
    const events = recorded.get(id) ?? 0;
    counts.served += times;
    counts.events += events;
    counts.missing += Math.max(0, times - events);
    counts.doubled += Math.max(0, events - times);
  }
  for (const [id, events] of recorded) {
    if (!id.startsWith(`${name}-`) || provider.served.has(id)) continue;
    counts.unserved += 1;
    counts.doubled += events - 1;
  }
  return counts;
}

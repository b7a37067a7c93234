import type { SessionTally, Tally } from "@tollgate/core/experiments/tally";
import type { Arm } from "@tollgate/core/steering";
import type { Engine } from "@tollgate/storage/database/open-control-database";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { type Upsert, upsertRows } from "@tollgate/storage/database/upsert-rows";

export interface CountedCall {
  readonly experiment_id: string;
  readonly arm: Arm;
  readonly latency_ms: number;
}

export interface CountedSession {
  readonly experiment_id: string;
  readonly arm: string;
  readonly session_id: string;
  readonly sums: SessionTally;
}

const latencies: Upsert = {
  table: "experiment_latencies",
  columns: ["experiment_id", "arm", "latency_ms", "calls"],
  key: ["experiment_id", "arm", "latency_ms"],
  add: ["calls"],
};

/** Sums only grow (a cost is never negative), so the larger one is newer. */
const sessionSums = [
  "calls",
  "errors",
  "priced_calls",
  "cost_microcents",
  "tested_calls",
  "slow_calls",
] as const;
const sessions: Upsert = {
  table: "experiment_sessions",
  columns: ["experiment_id", "arm", "session_id", ...sessionSums],
  key: ["experiment_id", "session_id", "arm"],
  add: [],
  greatest: sessionSums,
};

export async function writeSums(
  db: ControlDb,
  engine: Engine,
  counted: {
    readonly calls: readonly CountedCall[];
    readonly tallies: ReadonlyMap<string, Tally>;
    readonly sessions: Iterable<CountedSession>;
  },
): Promise<void> {
  await upsertRows(db, engine, latencies, latencyRows(counted.calls));
  await upsertRows(
    db,
    engine,
    sessions,
    [...counted.sessions].map(({ experiment_id, arm, session_id, sums }) => [
      experiment_id,
      arm,
      session_id,
      ...sessionSums.map(column => sums[column]),
    ]),
  );
  for (const [experiment_id, tally] of counted.tallies) {
    const text = tally.toText();
    await db
      .insertInto("experiment_tallies")
      .values({ experiment_id, tally: text })
      .onConflict(conflict => conflict.column("experiment_id").doUpdateSet({ tally: text }))
      .execute();
  }
}

function latencyRows(counted: readonly CountedCall[]): (readonly [string, Arm, number, number])[] {
  const rows = new Map<string, readonly [string, Arm, number, number]>();
  for (const { experiment_id, arm, latency_ms } of counted) {
    const key = `${experiment_id} ${arm} ${latency_ms}`;
    rows.set(key, [experiment_id, arm, latency_ms, (rows.get(key)?.[3] ?? 0) + 1]);
  }
  return [...rows.values()];
}

import { primaryMetrics } from "@tollgate/core/experiments/experiment";
import { EMPTY_SESSION, type SessionTally, Tally } from "@tollgate/core/experiments/tally";
import { type Arm, arms } from "@tollgate/core/steering";
import { listOfTexts } from "@tollgate/storage/database/list-of";
import type { ControlDatabase, Engine } from "@tollgate/storage/database/open-control-database";
import type { ControlDb } from "@tollgate/storage/database/schema";
import {
  followStored,
  type StoredConsumer,
  type StoredFollower,
} from "@tollgate/storage/following/follow-stored";
import type { FollowerOptions } from "@tollgate/storage/following/follower";
import type { LedgerRepair } from "@tollgate/storage/following/ledger-continuity";
import type { ExperimentEvent } from "@tollgate/storage/ledger/event-parts";
import { LEDGER_START } from "@tollgate/storage/ledger/ledger-position";
import type { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { isError } from "@tollgate/storage/ledger/status-codes";
import { type ExperimentRow, isOpen, openStatuses } from "./experiment-row.ts";
import { type CountedCall, type CountedSession, writeSums } from "./write-sums.ts";

export const EXPERIMENTS_CURSOR = "experiments:events";

type Followed = Pick<ExperimentRow, "id" | "org_id" | "mode" | "agent_key" | "primary_metric" | "status">;

/** Recounts open experiments. Results of ended ones are kept, because decisions were based on them. */
export const experimentRepair: LedgerRepair = {
  reader: EXPERIMENTS_CURSOR,
  async restart(db) {
    const open = db.selectFrom("experiments").select("id").where("status", "in", openStatuses);
    for (const table of ["experiment_tallies", "experiment_sessions", "experiment_latencies"] as const) {
      await db.deleteFrom(table).where("experiment_id", "in", open).execute();
    }
    return LEDGER_START;
  },
};

/**
 * Sums the calls of open experiments from the ledger, each once. A call that settles after its experiment has ended is
 * not counted.
 */
export function followExperiments(
  database: ControlDatabase,
  ledger: LedgerReader,
  options: FollowerOptions = {},
): StoredFollower<ExperimentEvent> {
  const { db, engine } = database;
  const consumer: StoredConsumer<ExperimentEvent> = {
    repair: experimentRepair,
    batchSize: 2000,
    pollMs: 20,
    // Without an open experiment no event so far can count, because a later one has no calls yet.
    async hasWork() {
      const open = db.selectFrom("experiments").select("id").where("status", "in", openStatuses).limit(1);
      return (await open.executeTakeFirst()) !== undefined;
    },
    read: (after, upTo) => ledger.experimentEventsBetween(after, upTo),
    async apply({ events }, transaction) {
      if (events.length > 0) await countEvents(transaction, engine, events);
      return { isEmpty: events.length === 0 };
    },
  };
  return followStored(database, ledger, consumer, options);
}

async function countEvents(
  transaction: ControlDb,
  engine: Engine,
  events: readonly ExperimentEvent[],
): Promise<void> {
  const experiments = await readExperiments(transaction, engine, events);
  const counted = events.flatMap(event => {
    const experiment = experiments.get(event.experiment_id);
    const arm = arms.find(known => known === event.arm);
    return experiment && arm && isOf(experiment, event) ? [{ event, arm }] : [];
  });
  if (counted.length === 0) return;
  const ids = [...experiments.keys()];
  const tallies = await readTallies(transaction, engine, experiments);
  const sessions = await readSessions(
    transaction,
    engine,
    ids,
    counted.map(({ event }) => event),
  );
  const calls = counted.map(({ event, arm }) => count(event, arm, tallies, sessions));
  await writeSums(transaction, engine, { calls, tallies, sessions: sessions.values() });
}

/** Open experiments, locked until the commit: one that ended in the meantime would miss these calls. */
async function readExperiments(
  transaction: ControlDb,
  engine: Engine,
  events: readonly ExperimentEvent[],
): Promise<ReadonlyMap<string, Followed>> {
  const ids = [...new Set(events.map(({ experiment_id }) => experiment_id))];
  const query = transaction
    .selectFrom("experiments")
    .select(["id", "org_id", "mode", "agent_key", "primary_metric", "status"])
    .where("id", "in", listOfTexts(engine, ids));
  const rows = await (engine === "postgres" ? query.forShare() : query).execute();
  return new Map(rows.filter(isOpen).map(row => [row.id, row]));
}

async function readTallies(
  transaction: ControlDb,
  engine: Engine,
  experiments: ReadonlyMap<string, Followed>,
): Promise<Map<string, Tally>> {
  const rows = await transaction
    .selectFrom("experiment_tallies")
    .selectAll()
    .where("experiment_id", "in", listOfTexts(engine, [...experiments.keys()]))
    .execute();
  const tallies = new Map(rows.map(row => [row.experiment_id, Tally.parse(row.tally)]));
  for (const { id, primary_metric } of experiments.values()) {
    const metric = primaryMetrics.find(known => known === primary_metric);
    if (metric !== undefined && !tallies.has(id)) tallies.set(id, Tally.of(metric));
  }
  return tallies;
}

async function readSessions(
  transaction: ControlDb,
  engine: Engine,
  experimentIds: readonly string[],
  events: readonly ExperimentEvent[],
): Promise<Map<string, CountedSession>> {
  const names = [...new Set(events.flatMap(({ session_id }) => session_id ?? []))];
  if (names.length === 0) return new Map();
  const rows = await transaction
    .selectFrom("experiment_sessions")
    .selectAll()
    .where("experiment_id", "in", listOfTexts(engine, experimentIds))
    .where("session_id", "in", listOfTexts(engine, names))
    .execute();
  return new Map(
    rows.map(({ experiment_id, arm, session_id, ...sums }) => [
      sessionKey(experiment_id, arm, session_id),
      { experiment_id, arm, session_id, sums },
    ]),
  );
}

function count(
  event: ExperimentEvent,
  arm: Arm,
  tallies: ReadonlyMap<string, Tally>,
  sessions: Map<string, CountedSession>,
): CountedCall {
  const { experiment_id, session_id, latency_ms } = event;
  const cost_microcents = event.cost_basis === "unpriced" ? null : event.cost_microcents;
  const is_error = isError(event.status);
  const key = session_id === null ? null : sessionKey(experiment_id, arm, session_id);
  const before: SessionTally | null = key === null ? null : (sessions.get(key)?.sums ?? EMPTY_SESSION);
  const sums = tallies.get(experiment_id)?.add({ arm, cost_microcents, latency_ms, is_error }, before);
  if (key !== null && session_id !== null && sums) {
    sessions.set(key, { experiment_id, arm, session_id, sums });
  }
  return { experiment_id, arm, latency_ms };
}

function isOf(experiment: Followed, event: ExperimentEvent): boolean {
  return (
    experiment.org_id === event.org_id &&
    experiment.mode === event.mode &&
    experiment.agent_key === event.agent_key
  );
}

function sessionKey(experimentId: string, arm: string, sessionId: string): string {
  return `${experimentId} ${arm} ${sessionId}`;
}

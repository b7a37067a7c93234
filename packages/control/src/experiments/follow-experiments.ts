import type { Arm } from "@tollgate/core/experiments/experiment";
import { arms, primaryMetrics } from "@tollgate/core/experiments/experiment";
import { EMPTY_SESSION, type SessionTally, Tally } from "@tollgate/core/experiments/tally";
import { listOfTexts } from "@tollgate/storage/database/list-of";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import type { ControlSchema } from "@tollgate/storage/database/schema";
import { Following } from "@tollgate/storage/following/following";
import type { LedgerConsumer, LedgerContinuity } from "@tollgate/storage/following/ledger-continuity";
import { LedgerCursor } from "@tollgate/storage/following/ledger-cursor";
import { repeatUntil } from "@tollgate/storage/following/repeat-until";
import {
  isSamePosition,
  LEDGER_START,
  LedgerDiverged,
  type LedgerPosition,
} from "@tollgate/storage/ledger/ledger-position";
import type { ExperimentEvent, LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import type { Kysely } from "kysely";

import { type ExperimentRow, isOpen, openStatuses } from "./experiment-row.ts";
import { type CountedCall, type CountedSession, writeSums } from "./write-sums.ts";

export const EXPERIMENTS_CURSOR = "experiments:events";

const POLL_MS = 20;
/** Events that are looked through at once, in one transaction. */
const EVENTS = 2000;

/** The rules of `is_error` are those of every other number: a client that left is no error. */
const failures: readonly string[] = ["error", "timeout", "interrupted"];

type Followed = Pick<ExperimentRow, "id" | "org_id" | "mode" | "agent_key" | "primary_metric" | "status">;

/** Open experiments are counted anew. The results of those that have ended are kept: somebody decided by them. */
export const experimentConsumer: LedgerConsumer = {
  cursor: EXPERIMENTS_CURSOR,
  async restart(db) {
    const open = db.selectFrom("experiments").select("id").where("status", "in", openStatuses);
    for (const table of ["experiment_tallies", "experiment_sessions", "experiment_latencies"] as const) {
      await db.deleteFrom(table).where("experiment_id", "in", open).execute();
    }
    return LEDGER_START;
  },
};

/**
 * Adds the calls of open experiments up from the ledger, each once. Sums and cursor are one transaction: a crash
 * repeats nothing and skips nothing. A call that becomes a fact after its experiment has ended is not counted.
 */
export class ExperimentFollower {
  readonly #cursor: LedgerCursor;
  readonly #following: Following;
  /** One at a time: whoever asks while it works waits for their own turn. */
  #turn: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: ControlDatabase,
    private readonly ledger: LedgerReader,
    private readonly onFault: (fault: unknown) => void = () => {},
    /** Repairs what was derived from another ledger. */
    continuity: LedgerContinuity | null = null,
  ) {
    this.#cursor = new LedgerCursor(database, EXPERIMENTS_CURSOR, async () => LEDGER_START);
    this.#following = new Following(continuity, () => this.#cursor.forget());
  }

  async run(signal: AbortSignal): Promise<void> {
    await repeatUntil(signal, POLL_MS, () => this.catchUp(signal), this.onFault);
  }

  /** Everything that is in the ledger now is counted when it resolves. */
  catchUp(signal?: AbortSignal): Promise<void> {
    const turn = this.#turn.then(() =>
      this.#following.attempt(() => this.#follow(this.ledger.newestPosition(), signal)),
    );
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async #follow(newest: LedgerPosition, signal?: AbortSignal): Promise<void> {
    while (signal?.aborted !== true) {
      const place = await this.#cursor.place();
      if (isSamePosition(place, newest)) return;
      const from = this.ledger.readFrom(place, confirmed => confirmed);
      if (from.seq >= newest.seq) return;
      // Who begins after this has no call up to `newest`: that was known before.
      if (await hasOpen(this.database.db)) await this.#step(newest.seq);
      else this.#cursor.skipTo(newest);
      // SQLite never waits for anything: without this, nobody else would have a turn until the last event.
      await new Promise(resolve => setImmediate(resolve));
    }
  }

  #step(newest: number): Promise<void> {
    return this.#cursor.advance(async (transaction, from) => {
      const upTo = Math.max(from.seq, Math.min(from.seq + EVENTS, newest));
      const { events, to } = this.ledger.readFrom(from, ({ seq }) => ({
        events: this.ledger.experimentEvents(seq, upTo),
        to: this.ledger.positionAt(upTo),
      }));
      if (to === null) throw new LedgerDiverged({ seq: upTo, eventId: null });
      if (events.length > 0) await this.#count(transaction, events);
      return { to, isEmpty: events.length === 0, result: undefined };
    });
  }

  async #count(transaction: Kysely<ControlSchema>, events: readonly ExperimentEvent[]): Promise<void> {
    const experiments = await this.#readExperiments(transaction, events);
    const counted = events.flatMap(event => {
      const experiment = experiments.get(event.experiment_id);
      const arm = arms.find(known => known === event.arm);
      return experiment && arm && isOf(experiment, event) ? [{ event, arm }] : [];
    });
    if (counted.length === 0) return;
    const ids = [...experiments.keys()];
    const tallies = await this.#readTallies(transaction, experiments);
    const sessions = await this.#readSessions(
      transaction,
      ids,
      counted.map(({ event }) => event),
    );
    const calls = counted.map(({ event, arm }) => count(event, arm, tallies, sessions));
    await writeSums(transaction, this.database.engine, { calls, tallies, sessions: sessions.values() });
  }

  /** Those that are open; kept so until the commit, or an end meanwhile would not know of these calls. */
  async #readExperiments(
    transaction: Kysely<ControlSchema>,
    events: readonly ExperimentEvent[],
  ): Promise<ReadonlyMap<string, Followed>> {
    const { engine } = this.database;
    const ids = [...new Set(events.map(({ experiment_id }) => experiment_id))];
    const query = transaction
      .selectFrom("experiments")
      .select(["id", "org_id", "mode", "agent_key", "primary_metric", "status"])
      .where("id", "in", listOfTexts(engine, ids));
    const rows = await (engine === "postgres" ? query.forShare() : query).execute();
    return new Map(rows.filter(isOpen).map(row => [row.id, row]));
  }

  async #readTallies(
    transaction: Kysely<ControlSchema>,
    experiments: ReadonlyMap<string, Followed>,
  ): Promise<Map<string, Tally>> {
    const rows = await transaction
      .selectFrom("experiment_tallies")
      .selectAll()
      .where("experiment_id", "in", listOfTexts(this.database.engine, [...experiments.keys()]))
      .execute();
    const tallies = new Map(rows.map(row => [row.experiment_id, Tally.parse(row.tally)]));
    for (const { id, primary_metric } of experiments.values()) {
      const metric = primaryMetrics.find(known => known === primary_metric);
      if (metric !== undefined && !tallies.has(id)) tallies.set(id, Tally.of(metric));
    }
    return tallies;
  }

  async #readSessions(
    transaction: Kysely<ControlSchema>,
    experimentIds: readonly string[],
    events: readonly ExperimentEvent[],
  ): Promise<Map<string, CountedSession>> {
    const { engine } = this.database;
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
}

function count(
  event: ExperimentEvent,
  arm: Arm,
  tallies: ReadonlyMap<string, Tally>,
  sessions: Map<string, CountedSession>,
): CountedCall {
  const { experiment_id, session_id, latency_ms } = event;
  const cost_microcents = event.cost_basis === "unpriced" ? null : event.cost_microcents;
  const is_error = failures.includes(event.status);
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

async function hasOpen(db: Kysely<ControlSchema>): Promise<boolean> {
  const open = db.selectFrom("experiments").select("id").where("status", "in", openStatuses).limit(1);
  return (await open.executeTakeFirst()) !== undefined;
}

import { SwitchWatch, type WatchedSession } from "@tollgate/core/breaker/switch-watch";
import { ArmSums } from "@tollgate/core/experiments/arm-sums";
import { MIN_SAMPLES } from "@tollgate/core/experiments/sequential-test";
import { describeFault, type Log } from "@tollgate/core/log";
import { askedModel } from "@tollgate/core/suggestions/switched-saving";
import { emptyTables } from "@tollgate/storage/database/empty-tables";
import { listOfTexts } from "@tollgate/storage/database/list-of";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import type { ControlDb, ControlTransaction, StoredRow } from "@tollgate/storage/database/schema";
import { type Upsert, upsertRows } from "@tollgate/storage/database/upsert-rows";
import type { Applied, Batch } from "@tollgate/storage/following/consumer";
import {
  followStored,
  type StoredConsumer,
  type StoredFollower,
} from "@tollgate/storage/following/follow-stored";
import type { FollowerOptions } from "@tollgate/storage/following/follower";
import type { LedgerRepair } from "@tollgate/storage/following/ledger-continuity";
import type { GatewayCallEvent } from "@tollgate/storage/ledger/event-parts";
import { LEDGER_START, type LedgerPosition } from "@tollgate/storage/ledger/ledger-position";
import type { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import type { ReadModelFollower } from "@tollgate/storage/read-model/deriving/follow-read-model";
import { sql } from "kysely";
import { switchedModel } from "../actuations/switched-model.ts";
import { readBaseline, toWatchedCall } from "./read-baseline.ts";
import { sumFailedOutcomes } from "./sum-failed-outcomes.ts";
import { type BreakerParts, tripBreaker } from "./trip-breaker.ts";
import { watchedSwitches } from "./watched-switches.ts";

type Switch = StoredRow<"optimizations">;

interface Parts {
  readonly database: ControlDatabase;
  readonly ledger: LedgerReader;
  /** The calls before a switch are read from the read model, so no event beyond its position is counted. */
  readonly readModel: Pick<ReadModelFollower, "position">;
  readonly control: BreakerParts;
  readonly log: Log;
}

/** Recounts the switches that are still watched. */
export const breakerRepair: LedgerRepair = {
  reader: "breaker:events",
  async restart(db, engine) {
    await emptyTables(db, engine, ["switch_watches", "switch_watch_sessions"]);
    return LEDGER_START;
  },
};

const addSessions: Upsert = {
  table: "switch_watch_sessions",
  columns: ["optimization_id", "session_id", "calls", "errors", "slow_calls"],
  key: ["optimization_id", "session_id"],
  add: [],
  // Sums only grow, so the larger one is newer.
  greatest: ["calls", "errors", "slow_calls"],
};

/**
 * The breaker: counts the calls that recent model switches have sent to another model, each once, and undoes a switch
 * that has made them significantly worse. Without a recent switch, every event is skipped.
 */
export function followSwitches(
  parts: Parts,
  options: FollowerOptions = {},
): StoredFollower<GatewayCallEvent> {
  return followStored(parts.database, parts.ledger, new SwitchConsumer(parts), options);
}

class SwitchConsumer implements StoredConsumer<GatewayCallEvent> {
  readonly repair = breakerRepair;
  readonly batchSize = 1000;
  readonly pollMs = 100;
  readonly upkeepEveryMs = 1000;
  readonly upkeepOn: ControlDatabase["pulse"];

  constructor(private readonly parts: Parts) {
    this.upkeepOn = parts.database.pulse;
  }

  /** Switches made before there was a breaker are watched from then on. */
  async begin(): Promise<LedgerPosition> {
    return this.parts.ledger.newestPosition();
  }

  async hasWork(): Promise<boolean> {
    const { database, control } = this.parts;
    const recent = watchedSwitches(database.db, control.now()).select("id").limit(1);
    return (await recent.executeTakeFirst()) !== undefined;
  }

  limit(): number {
    return this.parts.readModel.position;
  }

  read(after: number, upTo: number): GatewayCallEvent[] {
    return this.parts.ledger.gatewayCallsBetween(after, upTo);
  }

  async apply(
    { events }: Batch<readonly GatewayCallEvent[]>,
    transaction: ControlTransaction,
  ): Promise<Applied> {
    if (events.length === 0) return { isEmpty: true };
    const switches = await readSwitches(transaction, this.parts.control.now());
    const byAgent = new Map(switches.map(one => [agentName(one), one]));
    const calls = Map.groupBy(
      events.filter(event => {
        const switched = byAgent.get(agentName(event));
        return switched !== undefined && obeys(event, switched);
      }),
      agentName,
    );
    for (const [agent, ofAgent] of calls) {
      const switched = byAgent.get(agent);
      if (switched !== undefined) await this.#count(transaction, switched, ofAgent);
    }
    return { isEmpty: calls.size === 0 };
  }

  /** Evaluates the sums; outcomes arrive without a call. */
  async upkeep(): Promise<boolean> {
    const { db } = this.parts.database;
    const { control, log } = this.parts;
    const found = await watchedSwitches(db, control.now())
      .innerJoin("switch_watches", "switch_watches.optimization_id", "optimizations.id")
      .where("calls", ">=", MIN_SAMPLES)
      .selectAll("optimizations")
      .select("watch")
      .execute();
    for (const { watch, ...switched } of found) {
      try {
        await this.#look(switched, SwitchWatch.parse(watch));
      } catch (fault) {
        // One switch's fault must not affect the others.
        log("error", "could not check a model switch; retrying", describeFault(fault));
      }
    }
    await this.#forgetOthers();
    return false;
  }

  async #look(switched: Switch, watch: SwitchWatch): Promise<void> {
    const { control, log } = this.parts;
    const worsening = watch.worsening(await this.#failedOutcomes(switched, watch));
    if (worsening === null || !(await tripBreaker(control, switched, worsening))) return;
    log("warn", "the breaker has undone a model switch", {
      optimization_id: switched.id,
      reason: worsening.reason,
    });
  }

  async #count(
    transaction: ControlTransaction,
    switched: Switch,
    events: readonly GatewayCallEvent[],
  ): Promise<void> {
    const { database, ledger } = this.parts;
    const { engine } = database;
    const stored = await transaction
      .selectFrom("switch_watches")
      .select("watch")
      .where("optimization_id", "=", switched.id)
      .executeTakeFirst();
    const watch =
      stored === undefined
        ? await readBaseline(transaction, engine, ledger, switched)
        : SwitchWatch.parse(stored.watch);
    const sessions = await this.#readSessions(transaction, switched.id, events);
    for (const event of events) {
      const { session_id } = event;
      const known = session_id === null ? undefined : sessions.get(session_id);
      const sums = watch.add(toWatchedCall(event), known);
      if (session_id !== null) sessions.set(session_id, sums);
    }
    const row = { calls: watch.callsAfter, watch: watch.toText() };
    await transaction
      .insertInto("switch_watches")
      .values({ optimization_id: switched.id, ...row })
      .onConflict(conflict => conflict.column("optimization_id").doUpdateSet(row))
      .execute();
    await upsertRows(
      transaction,
      engine,
      addSessions,
      [...sessions].map(([id, sums]) => [switched.id, id, sums.calls, sums.errors, sums.slow_calls]),
    );
  }

  async #readSessions(
    transaction: ControlTransaction,
    optimizationId: string,
    events: readonly GatewayCallEvent[],
  ): Promise<Map<string, WatchedSession>> {
    const names = [...new Set(events.flatMap(({ session_id }) => session_id ?? []))];
    if (names.length === 0) return new Map();
    const rows = await transaction
      .selectFrom("switch_watch_sessions")
      .select(["session_id", "calls", "errors", "slow_calls"])
      .where("optimization_id", "=", optimizationId)
      .where("session_id", "in", listOfTexts(this.parts.database.engine, names))
      .execute();
    return new Map(rows.map(({ session_id, ...sums }) => [session_id, sums]));
  }

  /** For sessions that began after the switch: earlier ones also used the old model. */
  async #failedOutcomes(switched: Switch, watch: SwitchWatch): Promise<ArmSums> {
    if (watch.failedOutcomesBefore.samples < MIN_SAMPLES) return new ArmSums();
    const { org_id, mode, applied_at } = switched;
    return await sumFailedOutcomes(
      this.parts.database.db,
      sql`
        SELECT outcomes.session_id, count(*) AS samples, sum(1 - outcomes.success) AS failed
        FROM outcomes
        JOIN switch_watch_sessions AS watched
          ON watched.session_id = outcomes.session_id AND watched.optimization_id = ${switched.id}
        JOIN scopes ON scopes.org_id = outcomes.org_id AND scopes.mode = outcomes.mode
        JOIN sessions ON sessions.session_id = outcomes.session_id AND sessions.scope = scopes.id
        WHERE outcomes.org_id = ${org_id} AND outcomes.mode = ${mode} AND outcomes.success IS NOT NULL
          AND outcomes.created_at >= ${applied_at} AND sessions.first_at >= ${applied_at}
        GROUP BY outcomes.session_id`,
    );
  }

  /** Deletes the sums of switches that are no longer watched. */
  async #forgetOthers(): Promise<void> {
    const { db } = this.parts.database;
    const watched = watchedSwitches(db, this.parts.control.now()).select("id");
    const others = await db
      .selectFrom("switch_watches")
      .select("optimization_id")
      .where("optimization_id", "not in", watched)
      .execute();
    for (const { optimization_id } of others) {
      await db.transaction().execute(async transaction => {
        for (const table of ["switch_watch_sessions", "switch_watches"] as const) {
          await transaction.deleteFrom(table).where("optimization_id", "=", optimization_id).execute();
        }
      });
    }
  }
}

function readSwitches(db: ControlDb, now: number): Promise<Switch[]> {
  return watchedSwitches(db, now).selectAll("optimizations").execute();
}

/** Sent to the switch's model although it requested another one. A gateway that did not know the switch yet sent none. */
function obeys(event: GatewayCallEvent, { applied_at, payload }: Switch): boolean {
  const model = switchedModel(payload);
  return (
    event.created_at >= applied_at &&
    event.arm !== "treatment" &&
    event.model === model &&
    askedModel(event) !== model
  );
}

function agentName(row: Pick<GatewayCallEvent, "org_id" | "mode" | "agent_key"> | Switch): string {
  return `${row.mode} ${row.org_id} ${row.agent_key}`;
}

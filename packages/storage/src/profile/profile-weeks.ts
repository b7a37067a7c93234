import { DAY_MS, WEEK_MS } from "@tollgate/core/time/durations";
import { startOfDay } from "@tollgate/core/time/start-of-day";
import { type RawBuilder, sql } from "kysely";
import { rowsOfNumbers } from "../database/list-of.ts";
import type { Engine } from "../database/open-control-database.ts";
import { addedColumns, peakColumns } from "../database/profile-columns.ts";
import type { ControlDb } from "../database/schema.ts";
import { KeyedRows } from "../engine/keyed-rows.ts";
import { beginPosition, movePosition, readPosition } from "../following/stored-position.ts";
import type { LedgerPosition } from "../ledger/ledger-position.ts";
import { firstAt } from "../read-model/first-at.ts";
import { namesOf } from "../read-model/names-of.ts";
import { sumOf } from "../read-model/sum-of.ts";
import { PROFILE_CURSOR, WEEKS_CURSOR } from "./profile-repair.ts";
import type { ProfileKey } from "./sum-profile.ts";

/** Few enough that their sums take a fraction of a second even if all use many models: other writers wait for them. */
const AGENTS_AT_ONCE = 250;

interface WeekOptions {
  readonly now: () => number;
  readonly agentsAtOnce?: number | undefined;
}

/**
 * Up to when weeks are summed; 0: their sums must not be read, because the profile has events that they may lack. An older
 * control plane does not maintain them, and moves only the cursor of the profile.
 */
export const summedUntil = sql<number>`(SELECT coalesce(max(weeks.position), 0)
  FROM cursors AS weeks JOIN cursors AS days ON days.event_id = weeks.event_id
  WHERE weeks.reader = ${sql.lit(WEEKS_CURSOR)} AND days.reader = ${sql.lit(PROFILE_CURSOR)})`;

/**
 * The profile's sums of seven days (since 1970: these weeks have no meaning of their own), made a day after a week has
 * ended. A call that is reported later is added to the days, and what its agent did with its model in that week is
 * summed again.
 */
export class ProfileWeeks {
  /** The week that is being summed, and the last agent whose sums are made. */
  #underWay: { readonly week: number; readonly agent: number } | null = null;

  constructor(
    private readonly engine: Engine,
    private readonly options: WeekOptions,
  ) {}

  /** Called after a batch was added to the days, with the keys of the changed ones. */
  async include(
    transaction: ControlDb,
    batch: { readonly from: LedgerPosition; readonly to: LedgerPosition },
    days: readonly ProfileKey[],
  ): Promise<void> {
    const weeks = await readPosition(transaction, WEEKS_CURSOR);
    if (weeks === null) return;
    if (weeks.eventId !== batch.from.eventId) {
      // Another version has added to the days in between.
      await this.#startOver(transaction, batch.to);
      return;
    }
    const end = this.#underWay === null ? weeks.seq : this.#underWay.week + WEEK_MS;
    for (const [week, keys] of keysByWeek(days, end)) {
      await sumWeek(transaction, week, keyColumns, rowsOfNumbers(this.engine, keyColumns, keys));
    }
    await movePosition(transaction, WEEKS_CURSOR, { seq: weeks.seq, eventId: batch.to.eventId });
  }

  /** Sums a part of the next week that is over. `profile`: the position of the days. Resolves with whether there may be more. */
  async sumNext(transaction: ControlDb, profile: LedgerPosition): Promise<boolean> {
    // The position of an older version, which stored no event id.
    if (profile.eventId === null) return false;
    await beginPosition(transaction, WEEKS_CURSOR, { seq: 0, eventId: profile.eventId });
    let weeks = await readPosition(transaction, WEEKS_CURSOR);
    if (weeks?.eventId !== profile.eventId) weeks = await this.#startOver(transaction, profile);
    const week = this.#underWay?.week ?? (await nextWeek(transaction, weeks.seq));
    if (week === null || week + WEEK_MS > startOfDay(this.options.now()) - DAY_MS) return false;
    if (this.#underWay === null) await removeWeeks(transaction, weeks.seq, week);
    const after = this.#underWay?.agent ?? 0;
    const last = await lastAgent(transaction, after, this.options.agentsAtOnce ?? AGENTS_AT_ONCE);
    if (last === null) {
      await movePosition(transaction, WEEKS_CURSOR, { seq: week + WEEK_MS, eventId: profile.eventId });
      this.#underWay = null;
    } else {
      const agents = sql`(SELECT scope, id AS agent FROM agents WHERE id > ${after} AND id <= ${last})`;
      await sumWeek(transaction, week, ["scope", "agent"], agents);
      this.#underWay = { week, agent: last };
    }
    return true;
  }

  forget(): void {
    this.#underWay = null;
  }

  /** What is stored is not read from now on, and replaced week by week. */
  async #startOver(transaction: ControlDb, { eventId }: LedgerPosition): Promise<LedgerPosition> {
    this.#underWay = null;
    const start = { seq: 0, eventId };
    await movePosition(transaction, WEEKS_CURSOR, start);
    return start;
  }
}

/** Replaces the sums of a week, of the given keys. */
async function sumWeek(
  db: ControlDb,
  week: number,
  columns: readonly string[],
  keys: RawBuilder<unknown>,
): Promise<void> {
  const isOfKey = columns.map(column => sql`${sql.ref(`days.${column}`)} = ${sql.ref(`keys.${column}`)}`);
  await sql`DELETE FROM profile_weeks
    WHERE (week, ${namesOf(columns)}) IN (SELECT ${sql.lit(week)}, ${namesOf(columns)} FROM ${keys} AS keys)`.execute(
    db,
  );
  await sql`
    INSERT INTO profile_weeks (${namesOf(weekColumns)})
    SELECT days.scope, ${sql.lit(week)}, days.agent, days.model, ${sumsOfDays}
    FROM ${keys} AS keys JOIN profile_days AS days ON ${sql.join(isOfKey, sql` AND `)}
      AND days.day IN (${sql.join(daysOfWeek(week).map(day => sql.lit(day)))})
    GROUP BY days.scope, days.agent, days.model`.execute(db);
}

const keyColumns = ["scope", "agent", "model"] as const;

/** In the order of `weekColumns`. */
export const sumsOfDays = sql`min(days.day), max(days.day), count(*),
  ${sql.join(addedColumns.map(column => sumOf(sql.ref(`days.${column}`))))},
  ${sql.join(peakColumns.map(column => sql`max(${sql.ref(`days.${column}`)})`))}`;

export const weekColumns = [
  "scope",
  "week",
  "agent",
  "model",
  "first_day",
  "last_day",
  "active_days",
  ...addedColumns,
  ...peakColumns,
] as const;

const daysOfWeek = (week: number) =>
  Array.from({ length: WEEK_MS / DAY_MS }, (_, index) => week + index * DAY_MS);

const startOfWeek = (ms: number) => ms - (ms % WEEK_MS);

/** Scope, agent and model of the days before `end`, each once. */
function keysByWeek(days: readonly ProfileKey[], end: number): Map<number, [number, number, number][]> {
  const weeks = new Map<number, KeyedRows<[number, number, number]>>();
  for (const [scope, day, agent, model] of days) {
    if (day >= end) continue;
    const week = startOfWeek(day);
    const keys = weeks.get(week) ?? new KeyedRows((scope, agent, model) => [scope, agent, model]);
    keys.row(scope, agent, model, 0);
    weeks.set(week, keys);
  }
  return new Map([...weeks].map(([week, keys]) => [week, keys.sorted()]));
}

/** The next week with calls; null: there is none. */
async function nextWeek(db: ControlDb, fromMs: number): Promise<number | null> {
  const day = await firstAt(db, "profile_days", "day", fromMs);
  return day === null ? null : startOfWeek(day);
}

/** The last of the next agents; null: there are none. */
async function lastAgent(db: ControlDb, after: number, count: number): Promise<number | null> {
  const next = db.selectFrom("agents").select("id").where("id", ">", after).orderBy("id").limit(count);
  const { id } = await db
    .selectFrom(next.as("next"))
    .select(({ fn }) => fn.max<number | null>("id").as("id"))
    .executeTakeFirstOrThrow();
  return id;
}

/** Of a profile that has been repaired since: there are no calls in these weeks now. */
async function removeWeeks(db: ControlDb, from: number, end: number): Promise<void> {
  await sql`DELETE FROM profile_weeks WHERE scope IN (SELECT id FROM scopes) AND week >= ${from} AND week < ${end}`.execute(
    db,
  );
}

import { DAY_MS, WEEK_MS } from "@tollgate/core/time/durations";
import { startOf, startOfDay } from "@tollgate/core/time/start-of-day";
import { type InferResult, type RawBuilder, type SqlBool, sql } from "kysely";
import { listOfTexts, rowsOfNumbers } from "../database/list-of.ts";
import type { ControlDatabase, Engine } from "../database/open-control-database.ts";
import { outputColumns } from "../database/output-histogram.ts";
import { addedColumns, peakColumns, type SumColumn, sumColumns } from "../database/profile-columns.ts";
import type { ControlDb } from "../database/schema.ts";
import { readSeq } from "../following/stored-position.ts";
import type { LedgerReader } from "../ledger/ledger-reader.ts";
import { scopeFinder } from "../read-model/reading/scope-finder.ts";
import { sumOf } from "../read-model/sum-of.ts";
import type { Window } from "../read-model/window.ts";
import type { AgentModelProfile, ProfileQueries } from "./profile-queries.ts";
import { PROFILE_CURSOR } from "./profile-repair.ts";
import { summedUntil } from "./profile-weeks.ts";
import { RecentFleets } from "./recent-fleets.ts";

type AgentModelRow = InferResult<ReturnType<typeof agentModels>>[number];

/** Summing more rows than this would noticeably delay other requests. */
const LONG_ROWS = 20_000;

export function createProfile(database: ControlDatabase, ledger: LedgerReader): ProfileQueries {
  const { db, engine } = database;
  const findScope = scopeFinder();
  const recent = new RecentFleets();
  return {
    async agentModels(scope, window, agentIds) {
      const id = await findScope(db, scope);
      if (id === null) return [];
      const rows = rowsOf(db, engine, id, window, agentIds);
      const query = agentModels(db, rows);
      const agents = agentIds === undefined ? "all" : Bun.hash(agentIds.join());
      const name = `${id} ${window.from} ${startOfDay(window.to)} ${agents}`;
      return await recent.get(name, async () => {
        const sums = (await isLong(db, rows)) ? await database.longRead(query) : await query.execute();
        return sums.map(toProfile);
      });
    },
    async lag() {
      const seq = await readSeq(db, PROFILE_CURSOR);
      return Math.max(0, ledger.newestSeq() - seq);
    },
  };
}

async function isLong(db: ControlDb, rows: SummedRows): Promise<boolean> {
  const some = db.selectFrom(rows.as("rows")).select("agent").limit(LONG_ROWS);
  const { found } = await db
    .selectFrom(some.as("some"))
    .select(({ fn }) => fn.countAll<number>().as("found"))
    .executeTakeFirstOrThrow();
  return Number(found) === LONG_ROWS;
}

type SummedRows = ReturnType<typeof rowsOf>;
type Bound = number | RawBuilder<number>;

const valueColumns = [...addedColumns, ...peakColumns] as const;

/** The weeks that are summed, and the days before and after them. */
function rowsOf(db: ControlDb, engine: Engine, scope: number, window: Window, agentIds?: readonly string[]) {
  const weeks = wholeWeeks(window);
  // In the same statement as the sums: another control plane may stop maintaining them at any moment.
  const summedTo = sql<number>`(SELECT CASE WHEN until < ${weeks.from} THEN ${weeks.from}
    WHEN until > ${weeks.to} THEN ${weeks.to} ELSE until END FROM (SELECT ${summedUntil} AS until) AS summed)`;
  const agents = db
    .selectFrom("agents")
    .select("id")
    .where("scope", "=", scope)
    .where("agent_id", "in", listOfTexts(engine, agentIds ?? []));
  const between = (column: "day" | "week", from: Bound, to: Bound): RawBuilder<SqlBool> => {
    const start = sql.ref(column);
    if (agentIds === undefined) return sql`${start} >= ${from} AND ${start} < ${to}`;
    // One by one, because a range would be read for all agents.
    const starts = startsIn(window, column === "day" ? DAY_MS : WEEK_MS).map(start => [start]);
    return sql`${start} IN (SELECT start FROM ${rowsOfNumbers(engine, ["start"], starts)} AS starts
      WHERE start >= ${from} AND start < ${to}) AND agent IN (${agents})`;
  };
  const days = db
    .selectFrom("profile_days")
    .select([
      "agent",
      "model",
      "day as first_day",
      "day as last_day",
      sql.lit(1).as("active_days"),
      ...valueColumns,
    ])
    .where("scope", "=", scope);
  return days
    .where(between("day", window.from, Math.min(weeks.from, window.to)))
    .unionAll(days.where(between("day", summedTo, window.to)))
    .unionAll(
      db
        .selectFrom("profile_weeks")
        .select(["agent", "model", "first_day", "last_day", "active_days", ...valueColumns])
        .where("scope", "=", scope)
        .where(between("week", weeks.from, summedTo)),
    );
}

/** All days of these weeks start within the window. */
function wholeWeeks({ from, to }: Window): Window {
  const first = Math.max(0, Math.ceil(from / WEEK_MS) * WEEK_MS);
  return { from: first, to: Math.max(first, startOf(to, WEEK_MS)) };
}

function agentModels(db: ControlDb, rows: SummedRows) {
  const sums = db
    .selectFrom(rows.as("rows"))
    .select(["agent", "model"])
    .select(({ fn }) => [
      fn.min("first_day").as("first_day"),
      fn.max("last_day").as("last_day"),
      sumOf(sql.ref<number>("active_days")).as("active_days"),
      ...peakColumns.map(column => fn.max(column).as(column)),
      ...addedColumns.map(column => sumOf(sql.ref<number>(column)).as(column)),
    ])
    .groupBy(["agent", "model"]);
  return db
    .selectFrom(sums.as("sums"))
    .innerJoin("agents", "agents.id", "sums.agent")
    .innerJoin("models", "models.id", "sums.model")
    .selectAll("sums")
    .select(["agents.agent_id", "agents.agent_key", "models.provider", "models.model as model_name"])
    .orderBy("sums.agent")
    .orderBy("sums.cost_microcents", "desc")
    .orderBy("sums.model");
}

/** Of the UTC days or weeks that start within the window. */
function startsIn({ from, to }: Window, unitMs: number): number[] {
  const starts: number[] = [];
  for (let start = Math.ceil(from / unitMs) * unitMs; start < to; start += unitMs) starts.push(start);
  return starts;
}

function toProfile(row: AgentModelRow): AgentModelProfile {
  // Object.fromEntries loses the key type; all keys are present.
  const summed = Object.fromEntries(sumColumns.map(column => [column, row[column]])) as {
    [column in SumColumn]: number;
  };
  return {
    ...summed,
    agent_id: row.agent_id,
    agent_key: row.agent_key,
    provider: row.provider,
    model: row.model_name,
    first_day: row.first_day,
    last_day: row.last_day,
    active_days: row.active_days,
    max_input_tokens: row.max_input_tokens,
    max_output_tokens: row.max_output_tokens,
    outputs: outputColumns.map(column => row[column]),
  };
}

import { DAY_MS } from "@tollgate/core/time/durations";
import { startOfDay } from "@tollgate/core/time/start-of-day";
import { type InferResult, sql } from "kysely";
import { listOfNumbers, listOfTexts } from "../database/list-of.ts";
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
      const query = agentModels(db, engine, id, window, agentIds);
      const agents = agentIds === undefined ? "all" : Bun.hash(agentIds.join());
      const name = `${id} ${window.from} ${startOfDay(window.to)} ${agents}`;
      return await recent.get(name, async () => {
        const rows = (await isLong(db, id, window)) ? await database.longRead(query) : await query.execute();
        return rows.map(toProfile);
      });
    },
    async lag() {
      const seq = await readSeq(db, PROFILE_CURSOR);
      return Math.max(0, ledger.newestSeq() - seq);
    },
  };
}

async function isLong(db: ControlDb, scope: number, window: Window): Promise<boolean> {
  const some = db
    .selectFrom("profile_days")
    .select("scope")
    .where("scope", "=", scope)
    .where("day", ">=", window.from)
    .where("day", "<", window.to)
    .limit(LONG_ROWS);
  const { rows } = await db
    .selectFrom(some.as("some"))
    .select(({ fn }) => fn.countAll<number>().as("rows"))
    .executeTakeFirstOrThrow();
  return Number(rows) === LONG_ROWS;
}

function agentModels(
  db: ControlDb,
  engine: Engine,
  scope: number,
  window: Window,
  agentIds: readonly string[] | undefined,
) {
  const sums = db
    .selectFrom("profile_days")
    .select(["agent", "model"])
    .select(({ fn }) => [
      fn.min("day").as("first_day"),
      fn.max("day").as("last_day"),
      fn.countAll<number>().as("active_days"),
      ...peakColumns.map(column => fn.max(column).as(column)),
      ...addedColumns.map(column => sumOf(sql.ref<number>(column)).as(column)),
    ])
    .where("scope", "=", scope)
    .where("day", ">=", window.from)
    .where("day", "<", window.to)
    .$if(agentIds !== undefined, query =>
      query
        // Day by day, because a range would be read for all agents.
        .where("day", "in", listOfNumbers(engine, daysOf(window)))
        .where("agent", "in", agents =>
          agents
            .selectFrom("agents")
            .select("id")
            .where("scope", "=", scope)
            .where("agent_id", "in", listOfTexts(engine, agentIds ?? [])),
        ),
    )
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

/** UTC days that start within the window. */
function daysOf({ from, to }: Window): number[] {
  const days: number[] = [];
  for (let day = Math.ceil(from / DAY_MS) * DAY_MS; day < to; day += DAY_MS) days.push(day);
  return days;
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

import { DAY_MS, WEEK_MS } from "@tollgate/core/time/durations";
import { sql } from "kysely";
import { readHistory } from "../database/history.ts";
import type { ControlDatabase } from "../database/open-control-database.ts";
import type { ControlDb } from "../database/schema.ts";
import { readSeq } from "../following/stored-position.ts";
import { VERIFICATIONS } from "../read-model/deriving/known-ids.ts";
import { isErrorSql } from "../read-model/is-error-sql.ts";
import { namesOf } from "../read-model/names-of.ts";
import { PROFILE_CURSOR } from "./profile-repair.ts";
import { summedUntil, sumsOfDays, weekColumns } from "./profile-weeks.ts";

const MAX_REPORTED = 100;

/**
 * Checks that the profile has counted every call of the read model's facts exactly once, up to its cursor: calls,
 * failures and tokens. What facts do not contain (caches, repetitions, costs before rerating) is not checked. Weeks must
 * be the sums of their days in every column.
 */
export async function verifyProfile({ db }: Pick<ControlDatabase, "db">): Promise<string[]> {
  if (db.isTransaction) return compare(db);
  return db
    .transaction()
    .setAccessMode("read only")
    .setIsolationLevel("repeatable read")
    .execute(transaction => compare(transaction));
}

async function compare(db: ControlDb): Promise<string[]> {
  return [...(await compareDays(db)), ...(await compareWeeks(db))];
}

async function compareDays(db: ControlDb): Promise<string[]> {
  const seq = await readSeq(db, PROFILE_CURSOR);
  // Older days have no facts to be compared with.
  const { beginsAtMs } = await readHistory(db);
  const { rows } = await sql<{ scope: number; day: number; agent: number; model: number }>`
    SELECT scope, day, agent, model FROM (
      SELECT scope, day, agent, model, calls, errors, input_tokens, output_tokens FROM profile_days
      WHERE day >= ${beginsAtMs}
      UNION ALL
      SELECT scope, created_at - created_at % ${sql.lit(DAY_MS)}, agent, model,
        -1, CASE WHEN ${isErrorSql()} THEN -1 ELSE 0 END, -input_tokens, -output_tokens
      FROM facts WHERE seq <= ${seq} AND created_at >= ${beginsAtMs} AND agent <> ${sql.lit(VERIFICATIONS)}
    ) AS both_sides
    GROUP BY scope, day, agent, model
    HAVING sum(calls) <> 0 OR sum(errors) <> 0 OR sum(input_tokens) <> 0 OR sum(output_tokens) <> 0
    LIMIT ${sql.lit(MAX_REPORTED)}`.execute(db);
  return rows.map(
    row =>
      `profile_days: scope ${row.scope}, day ${row.day}, agent ${row.agent}, model ${row.model} is not the sum of its events`,
  );
}

async function compareWeeks(db: ControlDb): Promise<string[]> {
  const stored = sql`SELECT ${namesOf(weekColumns)} FROM profile_weeks WHERE week < ${summedUntil}`;
  const summed = sql`SELECT scope, day - day % ${sql.lit(WEEK_MS)} AS week, agent, model, ${sumsOfDays}
    FROM profile_days AS days WHERE day < ${summedUntil} GROUP BY 1, 2, 3, 4`;
  // Each row must be there twice: once stored, once summed.
  const { rows } = await sql<{ scope: number; week: number; agent: number; model: number }>`
    SELECT DISTINCT scope, week, agent, model FROM (
      SELECT ${namesOf(weekColumns)} FROM (${stored} UNION ALL ${summed}) AS both_sides
      GROUP BY ${namesOf(weekColumns)} HAVING count(*) <> 2
    ) AS differences LIMIT ${sql.lit(MAX_REPORTED)}`.execute(db);
  return rows.map(
    row =>
      `profile_weeks: scope ${row.scope}, week ${row.week}, agent ${row.agent}, model ${row.model} is not the sum of its days`,
  );
}

import { sql } from "kysely";
import type { Engine } from "../../database/open-control-database.ts";
import type { ControlDb } from "../../database/schema.ts";
import { factsOfAgent } from "../fact-lists.ts";
import type { CallsOf } from "../queries/usage-queries.ts";
import { sumOf } from "../sum-of.ts";
import type { Window } from "../window.ts";
import { factsOf } from "./facts-of.ts";
import { splitWindow } from "./split-window.ts";

/** Agent 0: all agents. */
export async function readUnpricedCalls(
  db: ControlDb,
  engine: Engine,
  scope: number,
  agent: number,
  window: Window,
): Promise<number> {
  const { days, hours, moments } = splitWindow(window);
  const ofAgent = sql`scope = ${scope} AND agent = ${agent} AND model > 0`;
  let sum = 0;
  for (const { from, to } of days) {
    sum += await countIn(
      db,
      "unpriced_calls",
      sql`rollup_days WHERE ${ofAgent} AND day >= ${from} AND day < ${to}`,
    );
  }
  for (const { from, to } of hours) {
    sum += await countIn(
      db,
      "unpriced_calls",
      sql`rollup_hours WHERE ${ofAgent} AND hour >= ${from} AND hour < ${to}`,
    );
  }
  for (const moment of moments) {
    const facts = factsOfAgent(engine, scope, agent, moment);
    sum += await countIn(
      db,
      "unpriced",
      sql`${facts} AS f WHERE scope = ${scope} AND created_at >= ${moment.from} AND created_at < ${moment.to}`,
    );
  }
  return sum;
}

/** Of a key or a customer. */
export async function readUnpricedOf(
  db: ControlDb,
  scope: number,
  of: CallsOf,
  { from, to }: Window,
): Promise<number> {
  const { column, id } = factsOf(scope, of);
  // `unpriced = 1` is literal: otherwise the partial indexes are not used.
  return countIn(
    db,
    "unpriced",
    sql`facts WHERE scope = ${scope} AND ${sql.ref(column)} = ${id} AND unpriced = 1 AND created_at >= ${from} AND created_at < ${to}`,
  );
}

async function countIn(db: ControlDb, column: string, rows: ReturnType<typeof sql>): Promise<number> {
  const answer = await sql<{ calls: number }>`SELECT ${sumOf(sql.ref(column))} AS calls FROM ${rows}`.execute(
    db,
  );
  return answer.rows[0]?.calls ?? 0;
}

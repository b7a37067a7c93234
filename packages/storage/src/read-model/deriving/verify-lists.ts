import { sql } from "kysely";
import type { Engine } from "../../database/open-control-database.ts";
import type { ControlDb } from "../../database/schema.ts";
import { listedDimensions, listedUpTo, listsWithFacts } from "../fact-lists.ts";
import { sumOf } from "../sum-of.ts";

/** Every listed fact must be in the list of its own value, and only there. */
export async function verifyLists(
  db: ControlDb,
  engine: Engine,
  report: (difference: string) => void,
): Promise<void> {
  const { agent, model, agent_model, customer, config_version, used_key } = listedDimensions;
  const value = sql`CASE l.dimension WHEN ${sql.lit(agent)} THEN f.agent WHEN ${sql.lit(model)} THEN f.model
    WHEN ${sql.lit(agent_model)} THEN f.agent WHEN ${sql.lit(customer)} THEN f.customer
    WHEN ${sql.lit(config_version)} THEN f.config_version WHEN ${sql.lit(used_key)} THEN f.used_key END`;
  const ofModel = sql`CASE l.dimension WHEN ${sql.lit(agent_model)} THEN f.model ELSE 0 END`;
  const isOwn = sql`l.scope = f.scope AND l.value = ${value} AND l.model = ${ofModel}`;
  const { rows } = await sql<Listed>`
    SELECT l.dimension, count(*) AS listed, ${sumOf(sql<number>`CASE WHEN ${isOwn} THEN 1 ELSE 0 END`)} AS own,
      ${sumOf(mark("f.seq"))} AS marks
    FROM ${listsWithFacts(engine)} GROUP BY l.dimension`.execute(db);
  const lists = new Map(rows.map(row => [Number(row.dimension), row]));
  for (const [name, code] of Object.entries(listedDimensions)) {
    const column = sql.ref(name === "agent_model" ? "agent" : name);
    const { rows: counted } = await sql<{ facts: number; marks: number }>`
      SELECT count(*) AS facts, ${sumOf(mark("seq"))} AS marks FROM facts
      WHERE seq <= ${listedUpTo} AND ${column} IS NOT NULL`.execute(db);
    const facts = Number(counted[0]?.facts);
    const { listed = 0, own = 0, marks = 0 } = lists.get(code) ?? {};
    const isSame = Number(marks) === Number(counted[0]?.marks ?? 0);
    if (Number(listed) === facts && Number(own) === facts && isSame) continue;
    report(
      `fact_lists: by ${name}, ${listed} facts are listed, ${own} of them under their own value, of ${facts}`,
    );
  }
}

/** Of all facts, added up: a fact listed twice in place of another has the same count, but not the same sum. */
const mark = (seq: string) => sql<number>`${sql.ref(seq)} % 65521`;

interface Listed {
  readonly dimension: number;
  readonly listed: number;
  readonly own: number;
  readonly marks: number;
}

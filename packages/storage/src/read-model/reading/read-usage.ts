import { LatencyCounts } from "@tollgate/core/experiments/latency-counts";
import { DAY_MS } from "@tollgate/core/time/durations";
import { startOfDay } from "@tollgate/core/time/start-of-day";
import { sql } from "kysely";
import { bucketOf, histogramColumns } from "../../database/latency-histogram.ts";
import { listOfNumbers } from "../../database/list-of.ts";
import type { Engine } from "../../database/open-control-database.ts";
import type { ControlDb } from "../../database/schema.ts";
import { errorCodes } from "../../ledger/status-codes.ts";
import { factsOfAgent } from "../fact-lists.ts";
import type { Totals, Usage } from "../queries/usage-queries.ts";
import { sumOf, totalsOfSums } from "../sum-of.ts";
import type { Window } from "../window.ts";
import { splitWindow } from "./split-window.ts";
import { UsageTotals } from "./usage-totals.ts";

/** With few calls, percentiles come from the calls themselves: a bucket would report a single call of 31 ms as 44. */
export const EXACT_PERCENTILES_UP_TO = 1000;

interface RollupRow extends Totals {
  readonly time: number;
  readonly model: number;
}

/** Agent 0: all agents. */
export async function readUsage(
  db: ControlDb,
  engine: Engine,
  scope: number,
  agent: number,
  window: Window,
): Promise<Usage> {
  const totals = new UsageTotals(window);
  const { days, hours, moments } = splitWindow(window);
  for (const piece of days) await addRollups(db, "rollup_days", "day", scope, agent, piece, totals);
  for (const piece of hours) await addRollups(db, "rollup_hours", "hour", scope, agent, piece, totals);
  for (const piece of moments) await addFacts(db, engine, scope, agent, piece, totals);
  if (totals.calls > 0 && totals.calls <= EXACT_PERCENTILES_UP_TO) {
    const latencies = await readLatencies(db, engine, scope, agent, window);
    // Retention may have removed some of these calls, but not their buckets.
    if (latencies.calls === totals.calls) totals.setExactLatencies(latencies);
  }
  const names = await db
    .selectFrom("models")
    .selectAll()
    .where("id", "in", listOfNumbers(engine, totals.models))
    .execute();
  return totals.toUsage(new Map(names.map(row => [row.id, row])));
}

/** Epoch milliseconds; null: there are no calls. */
export async function readFirstCallAt(db: ControlDb, scope: number): Promise<number | null> {
  const first = await db
    .selectFrom("facts")
    .select("created_at")
    .where("scope", "=", scope)
    .orderBy("created_at")
    .limit(1)
    .executeTakeFirst();
  return first?.created_at ?? null;
}

/** Number of calls by latency in milliseconds. */
async function readLatencies(
  db: ControlDb,
  engine: Engine,
  scope: number,
  agent: number,
  window: Window,
): Promise<LatencyCounts> {
  const rows = await db
    .selectFrom(factsOfAgent(engine, scope, agent, window).as("facts"))
    .select(({ fn }) => ["latency_ms", fn.countAll<number>().as("calls")])
    .where("scope", "=", scope)
    .where("created_at", ">=", window.from)
    .where("created_at", "<", window.to)
    .groupBy("latency_ms")
    .execute();
  return new LatencyCounts(rows.map(({ latency_ms, calls }) => [latency_ms, Number(calls)]));
}

async function addRollups(
  db: ControlDb,
  table: "rollup_days" | "rollup_hours",
  time: "day" | "hour",
  scope: number,
  agent: number,
  { from, to }: Window,
  totals: UsageTotals,
): Promise<void> {
  const wanted = sql`FROM ${sql.table(table)} WHERE scope = ${scope} AND agent = ${agent}
    AND ${sql.ref(time)} >= ${from} AND ${sql.ref(time)} < ${to}`;
  const { rows } = await sql<RollupRow>`
    SELECT ${sql.ref(time)} - ${sql.ref(time)} % ${sql.lit(DAY_MS)} AS time, model,
      ${sql.join([...totalsOfSums, sumOf(sql.ref("latency_sum_ms")).as("latency_sum_ms")])}
    ${wanted} AND model > 0 GROUP BY 1, model`.execute(db);
  for (const row of rows) totals.add(row.time, row.model, row);
  // All models of one agent are one row; all models of all agents are not.
  const { rows: counts } = await sql<Record<string, number>>`
    SELECT ${sql.join(histogramColumns.map(column => sumOf(sql.ref(column)).as(column)))}
    ${wanted} AND ${agent === 0 ? sql`model > 0` : sql`model = 0`}`.execute(db);
  for (const [bucket, column] of histogramColumns.entries()) {
    totals.addLatencies(bucket, counts[0]?.[column] ?? 0);
  }
}

async function addFacts(
  db: ControlDb,
  engine: Engine,
  scope: number,
  agent: number,
  window: Window,
  totals: UsageTotals,
): Promise<void> {
  const rows = await db
    .selectFrom(factsOfAgent(engine, scope, agent, window).as("facts"))
    .select([
      "created_at",
      "model",
      "status",
      "latency_ms",
      "input_tokens",
      "output_tokens",
      "cost_microcents",
      "unpriced",
    ])
    .where("scope", "=", scope)
    .where("created_at", ">=", window.from)
    .where("created_at", "<", window.to)
    .execute();
  for (const row of rows) {
    totals.add(startOfDay(row.created_at), row.model, {
      calls: 1,
      errors: errorCodes.includes(row.status) ? 1 : 0,
      input_tokens: row.input_tokens,
      output_tokens: row.output_tokens,
      cost_microcents: row.cost_microcents,
      unpriced_calls: row.unpriced,
      latency_sum_ms: row.latency_ms,
    });
    totals.addLatencies(bucketOf(row.latency_ms), 1);
  }
}

import { type RawBuilder, sql } from "kysely";
import { histogramColumns, percentileMs } from "../database/latency-histogram.ts";
import type { ControlDb } from "../database/schema.ts";
import { toScope } from "../ledger/scope.ts";
import { isErrorSql } from "./is-error-sql.ts";
import type { LatencyHour, Scope, SeriesBucket, Window } from "./queries.ts";
import { DAY_MS, HOUR_MS } from "./rollup-sums.ts";
import { sumOf } from "./sum-of.ts";

const columns = ["calls", "errors", "cost_microcents", "latency_sum_ms"] as const;

export async function readUsageSeries(
  db: ControlDb,
  scope: number,
  unit: "hour" | "day",
  { from, to }: Window,
  of: "agents" | "organization",
): Promise<SeriesBucket[]> {
  const table = sql.table(unit === "hour" ? "rollup_hours" : "rollup_days");
  const time = sql.ref(`r.${unit}`);
  // `model = 0` is literal: otherwise the partial index on those rows is not used.
  const wanted = sql`r.scope = ${scope} AND r.model = 0 AND ${time} >= ${from} AND ${time} < ${to}`;
  const { rows } =
    of === "agents"
      ? await sql<SeriesBucket>`
          SELECT a.agent_id, ${time} AS at, ${sql.join(columns.map(column => sql.ref(`r.${column}`)))}
          FROM ${table} AS r JOIN agents AS a ON a.id = r.agent WHERE ${wanted} AND r.calls > 0
          ORDER BY ${time}, a.id`.execute(db)
      : await sql<SeriesBucket>`
          SELECT NULL AS agent_id, ${time} AS at,
            ${sql.join(columns.map(column => sumOf(sql.ref(`r.${column}`)).as(column)))}
          FROM ${table} AS r WHERE ${wanted} GROUP BY ${time} HAVING sum(r.calls) > 0
          ORDER BY ${time}`.execute(db);
  return rows;
}

/** Sums of the facts that the condition selects. */
export function costSeriesOf(
  scope: number,
  unit: "hour" | "day",
  { from, to }: Window,
  condition: RawBuilder<unknown>,
): RawBuilder<SeriesBucket> {
  const start = sql`created_at - created_at % ${sql.lit(unit === "hour" ? HOUR_MS : DAY_MS)}`;
  return sql`
    SELECT NULL AS agent_id, ${start} AS at, count(*) AS calls,
      ${sumOf(sql`CASE WHEN ${isErrorSql()} THEN 1 ELSE 0 END`)} AS errors,
      ${sumOf(sql.ref("cost_microcents"))} AS cost_microcents, ${sumOf(sql.ref("latency_ms"))} AS latency_sum_ms
    FROM facts WHERE scope = ${scope} AND ${condition} AND created_at >= ${from} AND created_at < ${to}
    GROUP BY ${start} ORDER BY ${start}`;
}

/** Agent 0: all agents. By model, because sums over all agents are kept per model only. */
export async function readLatencyHours(
  db: ControlDb,
  scope: number,
  agent: number,
  { from, to }: Window,
): Promise<LatencyHour[]> {
  const { rows } = await sql<{ at: number; calls: number } & Record<string, number>>`
    SELECT hour AS at, ${sumOf(sql.ref("calls")).as("calls")},
      ${sql.join(histogramColumns.map(column => sumOf(sql.ref(column)).as(column)))}
    FROM rollup_hours WHERE scope = ${scope} AND agent = ${agent} AND hour >= ${from} AND hour < ${to}
      AND model > 0
    GROUP BY hour ORDER BY hour`.execute(db);
  return rows.flatMap(row => {
    const p99 = percentileMs(
      histogramColumns.map(column => row[column] ?? 0),
      0.99,
    );
    return p99 === null ? [] : [{ at: row.at, calls: row.calls, p99_ms: p99 }];
  });
}

export async function readActiveScopes(db: ControlDb, since: number): Promise<Scope[]> {
  const rows = await db
    .selectFrom("scopes")
    .innerJoin("agents", "agents.scope", "scopes.id")
    .select(["scopes.org_id", "scopes.mode"])
    .where("agents.last_call_at", ">=", since)
    .distinct()
    .execute();
  return rows.map(toScope);
}

import type { CostBucket } from "@tollgate/core/predictions/usage-series";
import { HOUR_MS } from "@tollgate/core/time/durations";
import { type RawBuilder, sql } from "kysely";
import { histogramColumns, percentileMs } from "../../database/latency-histogram.ts";
import type { Engine } from "../../database/open-control-database.ts";
import type { ControlDb } from "../../database/schema.ts";
import { type Scope, toScope } from "../../ledger/scope.ts";
import { factsWith } from "../fact-lists.ts";
import type { CallsOf, LatencyHour, SeriesBucket } from "../queries/usage-queries.ts";
import { subjectKinds } from "../rollup-sums.ts";
import { sumOf } from "../sum-of.ts";
import type { Window } from "../window.ts";
import { factsOf } from "./facts-of.ts";

const columns = ["calls", "errors", "cost_microcents", "unpriced_calls", "latency_sum_ms"] as const;

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

/** A key has hours and days of its own, a customer only days: its hours are summed from its calls. */
export function costSeriesOf(
  engine: Engine,
  scope: number,
  unit: "hour" | "day",
  { from, to }: Window,
  of: Omit<CallsOf, "agentId">,
): RawBuilder<CostBucket> {
  const subject = factsOf(scope, of);
  const time = sql.ref(unit);
  const within = sql`scope = ${scope} AND ${time} >= ${from} AND ${time} < ${to}`;
  if (of.keyId !== undefined) {
    const table = sql.table(unit === "hour" ? "subject_hours" : "subject_days");
    return sql`
      SELECT ${time} AS at, cost_microcents FROM ${table}
      WHERE ${within} AND kind = ${sql.lit(subjectKinds.used_key)} AND subject = ${subject.id} ORDER BY ${time}`;
  }
  if (unit === "day") {
    return sql`
      SELECT ${time} AS at, cost_microcents FROM customer_days
      WHERE ${within} AND customer = ${subject.id} ORDER BY ${time}`;
  }
  const start = sql`created_at - created_at % ${sql.lit(HOUR_MS)}`;
  const wholeHour = (at: number) => Math.ceil(at / HOUR_MS) * HOUR_MS;
  const hours = { from: wholeHour(from), to: wholeHour(to) };
  return sql`
    SELECT ${start} AS at, ${sumOf(sql.ref("cost_microcents"))} AS cost_microcents
    FROM ${factsWith(engine, scope, subject.column, sql`= ${subject.id}`, hours)} AS facts
    WHERE created_at >= ${hours.from} AND created_at < ${hours.to}
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

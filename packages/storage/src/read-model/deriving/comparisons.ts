import { DAY_MS, HOUR_MS, WEEK_MS } from "@tollgate/core/time/durations";
import { type RawBuilder, sql } from "kysely";
import { costKindColumns } from "../../database/cost-kind-columns.ts";
import { bucketEndsMs, histogramColumns } from "../../database/latency-histogram.ts";
import { isErrorSql } from "../is-error-sql.ts";
import { namesOf } from "../names-of.ts";
import { rollupColumns, subjectKinds, totalColumns, versionColumns } from "../rollup-sums.ts";

/** Stored sums, and the rows they must be the sums of, under the same names. */
export interface Comparison {
  readonly table: string;
  readonly key: readonly string[];
  readonly sums: readonly string[];
  readonly stored: RawBuilder<unknown>;
  readonly parts: RawBuilder<unknown>;
  /** Also has the columns `first_at` and `last_at`, which are not sums. */
  readonly hasSpan?: boolean;
}

export function comparisons(beginsAtMs: number): Comparison[] {
  const day = sql`hour - hour % ${sql.lit(DAY_MS)}`;
  const begin = sql.lit(beginsAtMs);
  return [
    hoursFromFacts(beginsAtMs),
    ...(beginsAtMs === 0 ? [] : olderSums()),
    sumsOfRollups("rollup_days", "day", "rollup_hours", day, "one", "one"),
    ...(["hour", "day"] as const).flatMap(time => [
      sumsOfRollups(`rollup_${time}s`, time, `rollup_${time}s`, sql.ref(time), "all", "one"),
      sumsOfRollups(`rollup_${time}s`, time, `rollup_${time}s`, sql.ref(time), "one", "all"),
    ]),
    {
      table: "customer_days",
      key: ["scope", "customer", "day"],
      sums: totalColumns,
      stored: sql`FROM customer_days WHERE day >= ${begin}`,
      parts: sql`FROM (SELECT scope, coalesce(customer, 0) AS customer,
        created_at - created_at % ${sql.lit(DAY_MS)} AS day, ${factTotals} FROM facts
        WHERE created_at >= ${begin}) AS f`,
    },
    {
      table: "customer_weeks",
      key: ["scope", "customer", "week"],
      sums: totalColumns,
      stored: sql`FROM customer_weeks`,
      parts: sql`FROM (SELECT scope, customer, day - day % ${sql.lit(WEEK_MS)} AS week, ${namesOf(totalColumns)}
        FROM customer_days) AS d`,
    },
    {
      table: "agent_version_days",
      key: ["scope", "agent", "config_version", "day"],
      sums: versionColumns,
      stored: sql`FROM agent_version_days WHERE day >= ${begin}`,
      parts: sql`FROM (SELECT scope, agent, coalesce(config_version, 0) AS config_version,
        created_at - created_at % ${sql.lit(DAY_MS)} AS day, ${factTotals},
        CASE WHEN session IS NULL THEN 0 ELSE 1 END AS session_calls
        FROM facts WHERE created_at >= ${begin}) AS f`,
    },
    ...(["hour", "day"] as const).flatMap(time => [
      subjectSums(time, "config_version", beginsAtMs),
      subjectSums(time, "used_key", beginsAtMs),
    ]),
    subjectSums("hour", "customer", beginsAtMs),
    subject("sessions", "session", beginsAtMs),
    subject("customers", "customer", beginsAtMs),
    subject("config_versions", "config_version", beginsAtMs),
    subject("used_keys", "used_key", beginsAtMs),
    {
      table: "agents",
      key: ["id"],
      sums: [],
      stored: sql`FROM (SELECT id, last_call_at AS first_at, last_call_at AS last_at FROM agents
        WHERE last_call_at >= ${begin}) AS a`,
      parts: sql`FROM (SELECT agent AS id, max(created_at) AS first_at, max(created_at) AS last_at
        FROM facts WHERE agent > 0 AND created_at >= ${begin} GROUP BY agent) AS f`,
      hasSpan: true,
    },
  ];
}

const factTotals = sql`1 AS calls,
  CASE WHEN ${isErrorSql()} THEN 1 ELSE 0 END AS errors,
  input_tokens, output_tokens, cost_microcents, unpriced AS unpriced_calls`;

/** What can be compared of sums whose facts are gone. */
function olderSums(): Comparison[] {
  const subjectDays = (table: string, column: keyof typeof subjectKinds): Comparison => ({
    table,
    key: ["scope", "id"],
    sums: totalColumns,
    stored: sql`FROM ${sql.table(table)}`,
    parts: sql`FROM (SELECT scope, subject AS id, ${namesOf(totalColumns)} FROM subject_days
      WHERE kind = ${sql.lit(subjectKinds[column])} AND subject > 0) AS s`,
  });
  return [
    {
      table: "rollup_days",
      key: ["scope", "day"],
      sums: totalColumns,
      stored: sql`FROM rollup_days WHERE agent <> 0 AND model > 0`,
      parts: sql`FROM (SELECT scope, created_at - created_at % ${sql.lit(DAY_MS)} AS day, ${factTotals} FROM facts
        UNION ALL SELECT scope, day, ${namesOf(totalColumns)} FROM removed_days) AS f`,
    },
    {
      table: "customers",
      key: ["scope", "id"],
      sums: totalColumns,
      stored: sql`FROM customers`,
      parts: sql`FROM (SELECT scope, customer AS id, ${namesOf(totalColumns)} FROM customer_days
        WHERE customer > 0) AS c`,
    },
    subjectDays("config_versions", "config_version"),
    subjectDays("used_keys", "used_key"),
  ];
}

function hoursFromFacts(beginsAtMs: number): Comparison {
  const buckets = histogramColumns.map((column, bucket) => {
    const from = sql.lit(bucketEndsMs[bucket - 1] ?? 0);
    const end = bucketEndsMs[bucket];
    const before = end === undefined ? sql`` : sql`AND latency_ms < ${sql.lit(end)}`;
    return sql`CASE WHEN latency_ms >= ${from} ${before} THEN 1 ELSE 0 END AS ${sql.ref(column)}`;
  });
  return {
    table: "rollup_hours",
    key: ["scope", "agent", "model", "hour"],
    sums: rollupColumns,
    stored: sql`FROM rollup_hours WHERE agent <> 0 AND model > 0 AND hour >= ${sql.lit(beginsAtMs)}`,
    parts: sql`FROM (SELECT scope, agent, model, created_at - created_at % ${sql.lit(HOUR_MS)} AS hour,
      ${factTotals}, latency_ms AS latency_sum_ms, ${sql.join(buckets)}, ${namesOf(costKindColumns)}
      FROM facts WHERE created_at >= ${sql.lit(beginsAtMs)}) AS f`,
  };
}

/** Rollups that are sums of other rollups: of `source`'s rows of one agent and one model each. */
function sumsOfRollups(
  table: string,
  time: string,
  source: string,
  sourceTime: RawBuilder<unknown>,
  agents: "one" | "all",
  models: "one" | "all",
): Comparison {
  const which = (column: string, choice: "one" | "all") =>
    choice === "all" ? sql`${sql.ref(column)} = 0` : sql`${sql.ref(column)} <> 0`;
  const as = (name: string, choice: "one" | "all") =>
    choice === "all" ? sql`0 AS ${sql.ref(name)}` : sql.ref(name);
  return {
    table,
    key: ["scope", "agent", "model", time],
    sums: rollupColumns,
    stored: sql`FROM ${sql.table(table)} WHERE ${which("agent", agents)} AND ${which("model", models)}`,
    parts: sql`FROM (SELECT scope, ${as("agent", agents)}, ${as("model", models)},
      ${sourceTime} AS ${sql.ref(time)}, ${namesOf(rollupColumns)}
      FROM ${sql.table(source)} WHERE agent <> 0 AND model > 0) AS r`,
  };
}

function subjectSums(
  time: "hour" | "day",
  column: keyof typeof subjectKinds,
  beginsAtMs: number,
): Comparison {
  const table = `subject_${time}s`;
  const kind = sql.lit(subjectKinds[column]);
  const unitMs = sql.lit(time === "hour" ? HOUR_MS : DAY_MS);
  return {
    table,
    key: ["scope", "kind", "subject", time],
    sums: totalColumns,
    stored: sql`FROM ${sql.table(table)} WHERE kind = ${kind} AND ${sql.ref(time)} >= ${sql.lit(beginsAtMs)}`,
    parts: sql`FROM (SELECT scope, ${kind} AS kind, coalesce(${sql.ref(column)}, 0) AS subject,
      created_at - created_at % ${unitMs} AS ${sql.ref(time)}, ${factTotals} FROM facts
      WHERE created_at >= ${sql.lit(beginsAtMs)}) AS f`,
  };
}

function subject(table: string, column: string, beginsAtMs: number): Comparison {
  const isWhole = sql`first_at >= ${sql.lit(beginsAtMs)}`;
  return {
    table,
    key: ["scope", "id"],
    sums: totalColumns,
    stored: sql`FROM ${sql.table(table)} WHERE ${isWhole}`,
    parts: sql`FROM (SELECT scope, ${sql.ref(column)} AS id, ${factTotals},
      created_at AS first_at, created_at AS last_at FROM facts WHERE ${sql.ref(column)} IS NOT NULL
      ${beginsAtMs === 0 ? sql`` : sql`AND ${sql.ref(column)} NOT IN (SELECT id FROM ${sql.table(table)} WHERE NOT (${isWhole}))`}) AS f`,
    hasSpan: true,
  };
}

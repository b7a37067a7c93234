import { type RawBuilder, sql } from "kysely";
import { isErrorSql } from "./is-error-sql.ts";

/** A sum that is a number on both engines: PostgreSQL's is an arbitrary-precision decimal, which arrives as text. */
export function sumOf(expression: RawBuilder<number>): RawBuilder<number> {
  return sql<number>`CAST(coalesce(sum(${expression}), 0) AS BIGINT)`;
}

const plain = (column: string) => sumOf(sql.ref<number>(column)).as(column);

/** For rows that are sums themselves. */
export const totalsOfSums = [
  plain("calls"),
  plain("errors"),
  plain("input_tokens"),
  plain("output_tokens"),
  plain("cost_microcents"),
  plain("unpriced_calls"),
] as const;

/** For facts. */
export const totalsOfFacts = [
  sql<number>`count(*)`.as("calls"),
  sumOf(sql`CASE WHEN ${isErrorSql()} THEN 1 ELSE 0 END`).as("errors"),
  plain("input_tokens"),
  plain("output_tokens"),
  plain("cost_microcents"),
  sumOf(sql.ref("unpriced")).as("unpriced_calls"),
] as const;

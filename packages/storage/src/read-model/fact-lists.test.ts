import { describe, expect, it } from "bun:test";
import { DAY_MS } from "@tollgate/core/time/durations";
import { sql } from "kysely";
import { controlDatabases } from "../../../../test/support/labs/control-databases.ts";
import type { ControlDb } from "../database/schema.ts";
import { beginPosition } from "../following/stored-position.ts";
import { extendFactPartitions } from "./deriving/fact-partitions.ts";
import { factsWith, LISTS_CURSOR } from "./fact-lists.ts";

const databases = controlDatabases();

it("WEB-008 SQLite searches facts that are not listed by their seq, and others by their list, in any window", async () => {
  const { db } = await databases.open("sqlite");
  const window = { from: 1000, to: 2000 };
  const { rows } = await sql<{ detail: string }>`EXPLAIN QUERY PLAN
    SELECT seq FROM ${factsWith("sqlite", 1, "customer", sql`= ${5}`, window)} AS facts
    WHERE scope = ${1} AND created_at >= ${window.from} AND created_at < ${window.to}
    ORDER BY created_at DESC, seq DESC LIMIT 50`.execute(db);
  const searches = rows.map(({ detail }) => detail).filter(detail => /^(SEARCH|SCAN) [vlfo] /.test(detail));
  expect(searches).toEqual([
    "SEARCH f USING INTEGER PRIMARY KEY (rowid>?)",
    "SEARCH v USING PRIMARY KEY (scope=?)",
    "SEARCH l USING PRIMARY KEY (volume=? AND scope=? AND dimension=? AND value=? AND model=?)",
    expect.stringContaining("SCAN o VIRTUAL TABLE"),
    "SEARCH f USING INTEGER PRIMARY KEY (rowid=?)",
  ]);
});

const FACTS = 40_000;
const UNLISTED = 100;

/** One call a second, of 400 customers in turn. Those of customer 5 are listed. */
async function fill(db: ControlDb): Promise<void> {
  await sql`INSERT INTO facts (seq, scope, created_at, agent, model, status, customer, latency_ms, input_tokens,
      output_tokens, cost_microcents)
    SELECT n, 1, n * 1000, 1, 1, 0, n % 400, 1, 1, 1, 1
    FROM generate_series(1, ${sql.lit(FACTS)}) AS n`.execute(db);
  await sql`INSERT INTO fact_volumes VALUES (1, 0, 1000, ${sql.lit(FACTS * 1000)})`.execute(db);
  await sql`INSERT INTO fact_lists
    SELECT 0, 1, 4, 5, 0, 0, min(created_at), max(created_at), count(*), CAST(json_agg(seq) AS TEXT)
    FROM facts WHERE customer = 5 AND seq <= ${sql.lit(FACTS - UNLISTED)}`.execute(db);
  await beginPosition(db, LISTS_CURSOR, { seq: FACTS - UNLISTED, eventId: null });
}

describe.each([
  ["with", sql`ANALYZE`],
  ["without", sql`SELECT 1`],
])("PostgreSQL %s statistics", (_, analyze) => {
  it.each([
    ["a page of calls", sql`seq`, sql`ORDER BY created_at DESC, seq DESC LIMIT 50`],
    ["a sum", sql`sum(cost_microcents)`, sql``],
  ])("WEB-008 finds the facts of a value by their seq, for %s in any window", async (_, columns, order) => {
    const { db } = await databases.open("postgres");
    await fill(db);
    await analyze.execute(db);
    for (const window of [{}, { from: 1000, to: FACTS * 1000 + 1 }]) {
      const { rows } = await sql<{ "QUERY PLAN": string }>`EXPLAIN (ANALYZE, TIMING OFF)
        SELECT ${columns} FROM ${factsWith("postgres", 1, "customer", sql`= ${5}`, window)} AS facts
        WHERE scope = ${1} AND created_at >= ${1000} AND created_at <= ${FACTS * 1000} ${order}`.execute(db);
      const scans = rows.map(row => row["QUERY PLAN"]).filter(line => /Scan .*facts_rest/.test(line));
      expect(scans.length).toBeGreaterThan(0);
      expect(scans.filter(line => /Seq Scan|by_time/.test(line))).toEqual([]);
    }
  });
});

it("WEB-008 PostgreSQL does not compile a query of a few lists, however many partitions there are", async () => {
  const { db } = await databases.open("postgres");
  const partitions = 12;
  for (let day = 0; day < partitions; day++) await extendFactPartitions(db, 1, day * DAY_MS);
  await sql`INSERT INTO facts (seq, scope, created_at, agent, model, status, customer, latency_ms, input_tokens,
      output_tokens, cost_microcents)
    SELECT n, 1, n * ${sql.lit(DAY_MS / 1000)}, 1, 1, 0, 5, 1, 1, 1, 1
    FROM generate_series(1, ${sql.lit(partitions * 1000)}) AS n`.execute(db);
  await sql`INSERT INTO fact_volumes VALUES (1, 0, 0, ${sql.lit(partitions * DAY_MS)})`.execute(db);
  await sql`INSERT INTO fact_lists
    SELECT 0, 1, 4, 5, 0, (seq - 1) / 600 * 600, min(created_at), max(created_at), count(*),
      CAST(json_agg((seq - 1) % 600 + 1) AS TEXT)
    FROM facts GROUP BY (seq - 1) / 600`.execute(db);
  await beginPosition(db, LISTS_CURSOR, { seq: partitions * 1000, eventId: null });
  await sql`ANALYZE`.execute(db);
  const facts = factsWith("postgres", 1, "customer", sql`= ${5}`);
  const counted = await sql<{ calls: number }>`SELECT count(*) AS calls FROM ${facts} AS facts`.execute(db);
  expect(counted.rows).toEqual([{ calls: partitions * 1000 }]);
  const { rows } = await sql<{
    "QUERY PLAN": string;
  }>`EXPLAIN SELECT count(*) FROM ${facts} AS facts`.execute(db);
  const [, cost] = /cost=[\d.]+\.\.([\d.]+)/.exec(rows[0]?.["QUERY PLAN"] ?? "") ?? [];
  // The default of `jit_above_cost`.
  expect(Number(cost)).toBeLessThan(100_000);
});

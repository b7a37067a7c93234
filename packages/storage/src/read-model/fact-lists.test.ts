import { expect, it } from "bun:test";
import { sql } from "kysely";
import { controlDatabases } from "../../../../test/support/labs/control-databases.ts";
import { factsWith } from "./fact-lists.ts";

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

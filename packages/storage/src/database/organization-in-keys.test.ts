import { expect, it } from "bun:test";
import { sql } from "kysely";
import { controlDatabases } from "../../../../test/support/labs/control-databases.ts";

const databases = controlDatabases();

/** Tables of names: what identifies a row is the name, and the number is what the others store of it. */
const named = ["agents", "api_keys", "config_versions", "customers", "sessions", "used_keys"];

it("every table that grows with calls has the organization in its key, in PostgreSQL's catalogue", async () => {
  const { db } = await databases.open("postgres");
  // A scope is an organization and a mode, as one number.
  const { rows } = await sql<{ table: string; key: string }>`
    SELECT t.relname AS table, string_agg(a.attname, ' ' ORDER BY k.position) AS key
    FROM pg_class AS t JOIN pg_namespace AS n ON n.oid = t.relnamespace
    JOIN pg_index AS i ON i.indrelid = t.oid AND i.indisprimary
    CROSS JOIN unnest(i.indkey) WITH ORDINALITY AS k (number, position)
    JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = k.number
    WHERE n.nspname = 'public' AND (t.relname LIKE 'shared_events%' OR EXISTS
      (SELECT 1 FROM pg_attribute AS own WHERE own.attrelid = t.oid AND own.attname = 'scope'))
    GROUP BY 1`.execute(db);
  const keys = new Map(rows.map(({ table, key }) => [table, key.split(" ")]));
  expect(keys.get("facts_rest")).toEqual(["seq", "scope"]);
  expect(keys.get("shared_events_rest")).toEqual(["org_id", "id"]);
  const without = [...keys].filter(([, key]) => !key.includes("org_id") && !key.includes("scope"));
  expect(without.map(([table]) => table).sort()).toEqual(named);
});

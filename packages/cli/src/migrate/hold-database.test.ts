import { expect, it } from "bun:test";
import { SQL } from "bun";
import { freshPostgres } from "../../../../test/support/servers/postgres.ts";
import { eventually } from "../../../../test/support/waiting/eventually.ts";
import { holdDatabase } from "./hold-database.ts";

it("waits for the lock of a process that has just ended", async () => {
  const { url } = await freshPostgres();
  const release = await holdDatabase(url);
  // Only a safety net: it is granted as soon as the first one ends.
  const second = holdDatabase(url, 600_000);
  const client = new SQL(url);
  await eventually("the second one waits", async () => {
    const waiting = await client`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    return waiting.length === 1;
  });
  await client.close();
  await release();
  await (await second)();
});

it("refuses a database that somebody keeps working on", async () => {
  const { url, name } = await freshPostgres();
  const client = new SQL(url);
  // Shorter than the wait.
  await client.unsafe(`ALTER DATABASE ${name} SET statement_timeout = 1`);
  await client.close();
  const release = await holdDatabase(url);
  await expect(holdDatabase(url, 10)).rejects.toThrow("is working on PostgreSQL");
  await release();
});

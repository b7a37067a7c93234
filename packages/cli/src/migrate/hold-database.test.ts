import { expect, it } from "bun:test";
import { SQL } from "bun";
import { freshPostgres } from "../../../../test/support/servers/postgres.ts";
import { holdDatabase } from "./hold-database.ts";

it("waits for the lock of a process that has just ended", async () => {
  const { url } = await freshPostgres();
  const release = await holdDatabase(url);
  // Only a safety net: it is granted as soon as the first one ends.
  const second = holdDatabase(url, 600_000);
  expect(await Promise.race([second.then(() => "held"), Bun.sleep(50).then(() => "waiting")])).toBe(
    "waiting",
  );
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

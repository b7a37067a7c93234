import { expect, it } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { openControlReader } from "@tollgate/storage/database/open-control-reader";
import { SQL } from "bun";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import { LAST_OLDER_VERSION, makeOlder } from "../../support/older-control/make-older.ts";
import { startInTest } from "../../support/processes/start-in-test.ts";
import { svc } from "../../support/processes/tollgate-process.ts";
import { freePort } from "../../support/servers/free-port.ts";
import { freshPostgres } from "../../support/servers/postgres.ts";
import { startTcpProxy } from "../../support/servers/tcp-proxy.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const folder = temporaryFolder();
const start = startInTest();

/** An address at which nothing listens until it is opened. */
function networkTo(url: string) {
  const { hostname: host, port } = new URL(url);
  const near = new URL(url);
  near.port = String(freePort());
  return {
    url: near.href,
    open: () => startTcpProxy({ host, port: Number(port) }, Number(near.port)),
  };
}

/** As after three calls whose ledger is not in the data directory. */
async function hasReadThree(url: string): Promise<void> {
  const client = new SQL(url);
  await client`INSERT INTO cursors (reader, node, position) VALUES ('read-model:events', 'local', 3)`;
  await client.close();
}

async function cursorIn(url: string): Promise<number> {
  const client = new SQL(url);
  const [row] =
    await client`SELECT position::int AS position FROM cursors WHERE reader = 'read-model:events'`;
  await client.close();
  return row.position;
}

it("a lost ledger is refused once PostgreSQL, which was away, is back; until then nothing is created", async () => {
  const { url } = await freshPostgres();
  const first = start(folder("first"), { SVC_DATABASE_URL: url });
  await first.ready();
  await first.stop();
  const client = new SQL(url);
  await client`DELETE FROM cursors`;
  await client.close();
  await hasReadThree(url);
  const network = networkTo(url);
  const dataDir = folder("lost");
  const tollgate = start(dataDir, { SVC_DATABASE_URL: network.url });
  await eventually("it waits", () => tollgate.stderr.includes("only the database says"));
  expect(existsSync(join(dataDir, "ledger.db"))).toBe(false);
  const proxy = await network.open();
  expect(await tollgate.ended()).toBe(2);
  expect(tollgate.stderr).toContain("the ledger was lost or moved");
  expect(await cursorIn(url)).toBe(3);
  const doctor = await svc(dataDir, ["doctor"], { SVC_DATABASE_URL: url });
  expect([doctor.exitCode, doctor.stdout]).toEqual([
    1,
    expect.stringContaining("the ledger was lost or moved"),
  ]);
  proxy.stop();
});

it("a new installation waits for PostgreSQL, and then starts", async () => {
  const { url } = await freshPostgres();
  const network = networkTo(url);
  const tollgate = start(folder("new"), { SVC_DATABASE_URL: network.url });
  await eventually("it waits", () => tollgate.stderr.includes("only the database says"));
  const proxy = await network.open();
  await tollgate.ready();
  expect(tollgate.stdout).toContain("First run");
  await tollgate.stop();
  proxy.stop();
});

it("a refused start leaves an older PostgreSQL as it is: the version before can still use it", async () => {
  const { url } = await freshPostgres();
  const place = { kind: "postgres", url } as const;
  await (await makeOlder(place, LAST_OLDER_VERSION)).destroy();
  const client = new SQL(url);
  await client`INSERT INTO cursors (name, position) VALUES ('read-model:events', 3)`;
  await client.close();
  const tollgate = start(folder("older"), { SVC_DATABASE_URL: url });
  expect([await tollgate.ended(), tollgate.stderr]).toEqual([
    2,
    expect.stringContaining("the ledger was lost or moved"),
  ]);
  const reader = await openControlReader(place);
  await reader.close();
  expect(reader.version).toBe(LAST_OLDER_VERSION);
});

import { describe, expect, it } from "bun:test";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { ControlStore } from "@tollgate/storage/config/control-store";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { chat } from "../../support/clients/call-endpoints.ts";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import { startInTest } from "../../support/processes/start-in-test.ts";
import { isAlive, printedKeys, svc } from "../../support/processes/tollgate-process.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const folder = temporaryFolder();
const start = startInTest();

async function call(url: string, key: string | undefined): Promise<void> {
  const answer = await fetch(url + chat.path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "x-provider-key": "k", "content-type": "application/json" },
    body: JSON.stringify(chat.body),
  });
  await answer.text();
  expect(answer.status).toBe(200);
}

/** Files that are accessible to other users. */
const openFiles = (dataDir: string) =>
  readdirSync(dataDir).filter(name => (statSync(join(dataDir, name)).mode & 0o077) !== 0);

describe("the data directory", () => {
  it("has owner-only files, in any directory, whatever the umask; older files are fixed at startup", async () => {
    const dataDir = folder("modes");
    mkdirSync(dataDir);
    chmodSync(dataDir, 0o755);
    const umask = process.umask(0o000);
    try {
      const first = start(dataDir);
      await call(await first.ready(), printedKeys(first.stdout).test[0]);
      expect(readdirSync(dataDir).sort()).toEqual(
        expect.arrayContaining([
          "addresses.json",
          "control.db",
          "ledger.db",
          "ledger.db-intents",
          "ledger.db-wal",
        ]),
      );
      expect(openFiles(dataDir)).toEqual([]);
      await first.stop();
      for (const name of readdirSync(dataDir)) chmodSync(join(dataDir, name), 0o644);
      await start(dataDir).ready();
      expect(openFiles(dataDir)).toEqual([]);
    } finally {
      process.umask(umask);
    }
  });

  it("after SIGTERM each database is a single file: the logs are empty, and a copy without them is complete", async () => {
    const dataDir = folder("stopped");
    const tollgate = start(dataDir);
    const url = await tollgate.ready();
    for (let calls = 0; calls < 3; calls++) await call(url, printedKeys(tollgate.stdout).test[0]);
    expect(await tollgate.stop()).toBe(0);
    const copy = folder("copy");
    mkdirSync(copy);
    for (const name of ["ledger.db", "control.db"]) {
      const log = join(dataDir, `${name}-wal`);
      expect([name, existsSync(log) ? statSync(log).size : 0]).toEqual([name, 0]);
      copyFileSync(join(dataDir, name), join(copy, name));
    }
    const reader = new LedgerReader(join(copy, "ledger.db"));
    expect(reader.newestSeq()).toBe(3);
    reader.close();
    const store = await ControlStore.open({ kind: "sqlite", path: join(copy, "control.db") });
    expect(await store.isEmpty()).toBe(false);
    await store.close();
  });
});

describe("a sign-in link from the command line", () => {
  const linkOf = async (dataDir: string, settings: Record<string, string>) => {
    const listed = (await svc(dataDir, ["org", "list", "--json"])).json() as { id: string }[];
    const args = ["user", "create", "--org", listed[0]?.id ?? "", "--email", "ada@example.org", "--json"];
    return await svc(dataDir, args, settings);
  };
  const originOf = (result: { json(): unknown; stderr: string }) =>
    new URL((result.json() as { sign_in_url: string }).sign_in_url).origin;

  it("points to the running instance, and not to one that was killed", async () => {
    const dataDir = folder("links");
    const tollgate = start(dataDir);
    await tollgate.ready();
    const web = tollgate.addressOf("web");
    expect(originOf(await linkOf(dataDir, { SVC_WEB_PORT: "0" }))).toBe(web);
    expect(originOf(await linkOf(dataDir, {}))).toBe(web);
    expect(originOf(await linkOf(dataDir, { SVC_PUBLIC_URL: "https://tollgate.example" }))).toBe(
      "https://tollgate.example",
    );

    tollgate.kill("SIGKILL");
    await eventually("it is gone", () => !isAlive(tollgate.pid));
    const refused = await linkOf(dataDir, { SVC_WEB_PORT: "0" });
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringContaining("start it first, or set SVC_PUBLIC_URL"),
    ]);
    expect(originOf(await linkOf(dataDir, { SVC_WEB_PORT: "4567" }))).toBe("http://127.0.0.1:4567");
  });
});

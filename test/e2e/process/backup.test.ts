import { afterEach, describe, expect, it } from "bun:test";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import {
  printedKeys,
  type RunningTollgate,
  startTollgate,
  svc,
} from "../../support/processes/tollgate-process.ts";
import { servePacedProvider } from "../../support/servers/paced-provider.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const folder = temporaryFolder();
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function start(dataDir: string, settings: Record<string, string> = {}): RunningTollgate {
  const tollgate = startTollgate(dataDir, settings);
  cleanups.push(() => tollgate.stop());
  return tollgate;
}

async function call(
  url: string,
  key: string | undefined,
  session: string,
  more: object = {},
): Promise<Response> {
  return await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "x-provider-key": "k",
      "content-type": "application/json",
      "x-session-id": session,
    },
    body: JSON.stringify({
      model: "gpt-4o-mini",
      messages: [{ role: "user", content: session }],
      ...more,
    }),
  });
}

const ask = async (tollgate: RunningTollgate, key: string | undefined, path: string, body?: unknown) => {
  const answer = await fetch(`${tollgate.addressOf("web")}/api/${path}`, {
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers of several shapes; a missing field fails the test.
  return (await answer.json()) as any;
};

function sessionsIn(dataDir: string): Map<string, string> {
  const reader = new LedgerReader(join(dataDir, "ledger.db"));
  const events = reader
    .after(0, 1_000_000)
    .map(({ event }) => [event.session_id ?? "", event.status] as const);
  reader.close();
  expect(new Set(events.map(([session]) => session)).size).toBe(events.length);
  return new Map(events);
}

describe("svc backup and svc restore", () => {
  it("REL-015 taken under load with a call in flight, restored elsewhere: verified, settled, and every later call is seen", async () => {
    const held = Promise.withResolvers<void>();
    const provider = servePacedProvider(() => held.promise);
    cleanups.push(() => provider.stop());
    cleanups.push(() => held.resolve());
    const dataDir = folder("source");
    const settings = { SVC_OPENAI_BASE_URL: provider.url };
    const source = start(dataDir, settings);
    const url = await source.ready();
    const keys = printedKeys(source.stdout);
    const [live, test] = [keys.live[0], keys.test[0]];
    await ask(source, test, "budgets", { period: "daily", limit_microcents: 1_000_000_000 });
    const open = await call(url, live, "open", { stream: true });

    // Calls and changes continue until the backup has been taken.
    let isTaken = false;
    let made = 0;
    const settledBefore: string[] = [];
    const callers = Array.from({ length: 4 }, async () => {
      while (!isTaken) {
        const session = `before-${made++}`;
        await (await call(url, test, session)).text();
        if (settledBefore.length < 10) settledBefore.push(session);
        if (made % 10 === 0)
          await ask(source, test, "budgets", { period: "monthly", limit_microcents: made });
      }
    });
    await eventually("calls are under way", () => made > 20 && settledBefore.length === 10);
    const target = folder("backup");
    const taken = await svc(dataDir, ["backup", target, "--json"]);
    isTaken = true;
    await Promise.all(callers);
    expect([taken.exitCode, taken.stderr]).toEqual([0, ""]);

    expect(readdirSync(target).sort()).toEqual([
      "control.db",
      "ledger.db",
      "ledger.db-intents",
      "manifest.json",
      "secret",
    ]);
    const modes = ["", ...readdirSync(target)].map(name => statSync(join(target, name)).mode & 0o777);
    expect(modes).toEqual([0o700, ...readdirSync(target).map(() => 0o600)]);
    const manifest = JSON.parse(readFileSync(join(target, "manifest.json"), "utf8"));
    expect(taken.json()).toMatchObject({ ...manifest, not_contained: [] });
    expect(manifest.ledger.open_calls).toBeGreaterThanOrEqual(1);

    const copied = sessionsIn(target);
    expect([manifest.ledger.newest_seq, settledBefore.filter(session => !copied.has(session))]).toEqual([
      copied.size,
      [],
    ]);
    held.resolve();
    await open.text();
    await source.stop();

    const restoredDir = folder("restored");
    const restored = await svc(restoredDir, ["restore", target, "--json"]);
    expect([restored.exitCode, restored.json()]).toMatchObject([0, { data_directory: restoredDir }]);
    expect(statSync(restoredDir).mode & 0o777).toBe(0o700);
    expect(existsSync(join(restoredDir, "restore-unfinished"))).toBe(false);
    expect(readFileSync(join(restoredDir, "secret"), "utf8")).toBe(
      readFileSync(join(dataDir, "secret"), "utf8"),
    );

    const second = start(restoredDir, settings);
    const restoredUrl = await second.ready();
    expect(second.stdout).not.toContain("sk_");
    for (let calls = 0; calls < 15; calls++) {
      expect((await call(restoredUrl, test, `after-${calls}`)).status).toBe(200);
    }
    const known = sessionsIn(restoredDir);
    expect([known.get("open"), known.size]).toEqual([
      "interrupted",
      copied.size + manifest.ledger.open_calls + 15,
    ]);
    const testCalls = [...known.keys()].filter(session => session !== "open").length;
    await eventually("every call is seen", async () => {
      const { summary } = await ask(second, test, "analytics");
      return summary.total_calls === testCalls;
    });
    const seen = await ask(second, test, "events?limit=100");
    const sessions: string[] = seen.events.map((event: { session_id: string }) => event.session_id);
    expect(sessions.filter(session => session.startsWith("after-")).length).toBe(15);
    const verified = await svc(restoredDir, ["ledger", "verify", "--json"]);
    expect(verified.json()).toMatchObject({ ok: true, differences: [], events: known.size, open_intents: 0 });
  });

  it("REL-015 refuse to overwrite foreign files, and incomplete backups, and leave nothing behind", async () => {
    const dataDir = folder("refusals");
    expect((await svc(dataDir, ["backup", folder("none")])).stderr).toContain("there is nothing to back up");
    expect(existsSync(folder("none"))).toBe(false);
    const tollgate = start(dataDir);
    const url = await tollgate.ready();
    await (await call(url, printedKeys(tollgate.stdout).test[0], "one")).text();

    const target = folder("whole");
    expect((await svc(dataDir, ["backup", target])).stdout).toContain("events up to 1, 0 calls in flight");
    const refused = async (args: string[], reason: string, where = dataDir) => {
      const result = await svc(where, args);
      expect([result.exitCode, result.stdout, result.stderr]).toEqual([
        2,
        "",
        expect.stringContaining(reason),
      ]);
      expect(result.stderr).not.toContain("    at ");
    };
    await refused(["backup", target], "is not empty");
    await refused(["backup", join(dataDir, "inside")], "outside the data directory");
    const halfway = folder("halfway");
    mkdirSync(halfway);
    writeFileSync(join(halfway, "ledger.db.partial"), "");
    await refused(["backup", halfway], "was not finished");
    await refused(["restore", target], `pid ${tollgate.pid}`);
    await tollgate.stop();
    await refused(["restore", target], "is not empty (control.db)");

    const empty = folder("empty");
    await refused(["restore", halfway], "manifest.json is missing", empty);
    const damaged = (name: string, damage: (path: string) => void) => {
      const copy = folder(name);
      cpSync(target, copy, { recursive: true });
      damage(copy);
      return copy;
    };
    const cases: [string, string][] = [
      [damaged("no-ledger", path => rmSync(join(path, "ledger.db"))), "ledger.db is missing"],
      [damaged("longer", path => appendFileSync(join(path, "control.db"), "x")), "control.db has changed"],
      [damaged("flipped", flipByte), "ledger.db has changed since it was written"],
      [damaged("elsewhere", renameInManifest), "manifest.json is not valid"],
      [damaged("no-journal", dropJournal), "manifest.json does not list ledger.db-intents"],
    ];
    for (const [copy, reason] of cases) await refused(["restore", copy], reason, empty);
    expect(existsSync(empty)).toBe(false);

    // A backup that fails at its very end leaves nothing behind.
    rmSync(join(dataDir, "secret"));
    mkdirSync(join(dataDir, "secret"));
    const failed = await svc(dataDir, ["backup", folder("failed")]);
    expect([failed.exitCode, existsSync(folder("failed"))]).toEqual([2, false]);

    // Nor does a killed restore: the start does not mistake it for a new installation.
    mkdirSync(join(empty, "restore-unfinished"), { recursive: true });
    const half = start(empty);
    expect([await half.ended(), half.stderr]).toEqual([2, expect.stringContaining("was not finished")]);
    rmSync(join(empty, "restore-unfinished"), { recursive: true });
    expect((await svc(empty, ["restore", target])).exitCode).toBe(0);
  });
});

function flipByte(path: string): void {
  const file = join(path, "ledger.db");
  const bytes = readFileSync(file);
  bytes[5000] = (bytes[5000] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

/** As if one of the calls in flight were known only from the manifest. */
function dropJournal(path: string): void {
  const file = join(path, "manifest.json");
  const manifest = JSON.parse(readFileSync(file, "utf8"));
  manifest.ledger.open_calls = 1;
  manifest.files = manifest.files.filter(({ name }: { name: string }) => name !== "ledger.db-intents");
  writeFileSync(file, JSON.stringify(manifest));
  rmSync(join(path, "ledger.db-intents"));
}

function renameInManifest(path: string): void {
  const file = join(path, "manifest.json");
  writeFileSync(file, readFileSync(file, "utf8").replace('"secret"', '"../secret"'));
}

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { chmodSync, closeSync, cpSync, openSync, rmSync, statSync, truncateSync, writeSync } from "node:fs";
import { join } from "node:path";
import { chat } from "../../support/clients/call-endpoints.ts";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import {
  printedKeys,
  type RunningTollgate,
  startTollgate,
  svc,
} from "../../support/processes/tollgate-process.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const folder = temporaryFolder();
const dataDir = folder("data");
let tollgate: RunningTollgate;

interface Report {
  readonly ok: boolean;
  readonly errors: number;
  readonly warnings: number;
  readonly findings: readonly { check: string; level: string; message: string }[];
}

async function doctor(where: string, args: string[] = [], settings: Record<string, string> = {}) {
  const ports = { SVC_GATEWAY_PORT: "0", SVC_WEB_PORT: "0" };
  const result = await svc(where, ["doctor", "--json", ...args], { ...ports, ...settings });
  const report = result.json() as Report;
  /** Disk space depends on this machine. */
  const of = (...levels: string[]) =>
    report.findings
      .filter(({ check, level }) => check !== "disk" && levels.includes(level))
      .map(({ check, message }) => `${check}: ${message}`);
  return {
    exitCode: result.exitCode,
    report,
    trouble: of("warning", "error"),
    errors: of("error"),
    ok: of("ok"),
  };
}

/** Of the running installation; again if one of its planes answered too late, as on a busy machine. */
async function doctorOfRunning(args: string[] = []) {
  let found = await doctor(dataDir, args);
  await eventually("both planes answer in time", async () => {
    if (!found.trouble.some(line => line.startsWith("ports:"))) return true;
    found = await doctor(dataDir, args);
    return false;
  });
  return found;
}

/** A modified copy of the stopped installation. */
async function changed(name: string, change: (where: string) => void) {
  const copy = folder(name);
  cpSync(dataDir, copy, {
    recursive: true,
    filter: path => statSync(path).isDirectory() || statSync(path).isFile(),
  });
  change(copy);
  return copy;
}

const inControl = (sql: string) => (where: string) => {
  const database = new Database(join(where, "control.db"));
  database.run(sql);
  database.close();
};

const inLedger = (sql: string) => (where: string) => {
  const database = new Database(join(where, "ledger.db"));
  database.run("DROP TRIGGER events_are_never_changed");
  database.run(sql);
  database.close();
};

const post = (url: string, key: string | undefined, body: unknown) =>
  fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "x-provider-key": "k", "content-type": "application/json" },
    body: JSON.stringify(body),
  });

beforeAll(async () => {
  tollgate = startTollgate(dataDir);
  const url = await tollgate.ready();
  const { live, test } = printedKeys(tollgate.stdout);
  expect((await post(url + chat.path, test[0], chat.body)).status).toBe(200);
  const budget = { period: "daily", limit_microcents: 1000, enforcement_mode: "alert_only" };
  expect((await post(`${tollgate.addressOf("web")}/api/budgets`, live[0], budget)).status).toBe(201);
});
afterAll(() => tollgate.stop());

describe("svc doctor", () => {
  it("finds nothing wrong with a running instance, and lists its checks", async () => {
    await eventually("the call was read", async () =>
      (await doctor(dataDir)).ok.join().includes("up to event 1"),
    );
    const { exitCode, report, trouble, ok } = await doctorOfRunning(["--full", "--strict"]);
    expect(trouble).toEqual([]);
    expect([exitCode, report.ok]).toEqual(report.warnings === 0 ? [0, true] : [1, false]);
    const [gateway, web] = [tollgate.addressOf("gateway"), tollgate.addressOf("web")];
    expect(ok).toEqual([
      "settings: valid",
      expect.stringMatching(/^data directory: .*mode 700, files readable only by their owner$/),
      "integrity: ledger.db is sound",
      "integrity: control.db is sound",
      "start: this version can use the data",
      "readers: up to event 1, the newest",
      expect.stringMatching(/^clock: 20/),
      `ports: gateway: ${gateway}/health answers`,
      `ports: web: ${web}/api/health answers`,
      expect.stringMatching(/^prices: every live call/),
      expect.stringMatching(/^deliveries: 0 messages/),
    ]);
    const text = await svc(dataDir, ["doctor"]);
    expect(text.stdout).toMatch(/^ok {7}settings {8}valid$/m);
    expect(text.stdout).toMatch(/^0 errors, \d+ warnings?$/m);
  });

  it("names models without a price, with their calls", async () => {
    const events = Array.from({ length: 3 }, () => ({
      model: "private-llm",
      provider: "acme",
      input_tokens: 5,
      output_tokens: 1,
    }));
    const { live } = printedKeys(tollgate.stdout);
    expect((await post(`${tollgate.addressOf("gateway")}/v1/events`, live[0], { events })).status).toBe(200);
    const { exitCode, trouble } = await doctorOfRunning();
    expect(trouble).toEqual([
      "prices: acme/private-llm has no price, but 3 calls in 7 days",
      expect.stringContaining("SVC_PRICES_FILE"),
    ]);
    expect(exitCode).toBe(0);
    expect((await doctor(dataDir, ["--strict"])).exitCode).toBe(1);
  });

  it("checks a stopped instance too: ports that are free, or used by another program", async () => {
    await eventually("everything was read", async () =>
      (await doctor(dataDir)).ok.join().includes("up to event 4"),
    );
    await tollgate.stop();
    const stranger = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
    try {
      const settings = { SVC_WEB_PORT: String(stranger.port) };
      const { exitCode, errors, ok } = await doctor(dataDir, [], settings);
      expect([exitCode, errors]).toEqual([
        1,
        [`ports: web: port ${stranger.port} of 127.0.0.1 is in use by another program`],
      ]);
      expect(ok).toContain("ports: gateway: port is chosen at startup");
    } finally {
      await stranger.stop(true);
    }
  });

  it("finds an address that this machine does not have", async () => {
    const { exitCode, errors } = await doctor(dataDir, [], { SVC_HOST: "192.0.2.1" });
    const reason = "192.0.2.1 is not an address of this machine: set SVC_HOST";
    expect([exitCode, errors]).toEqual([1, [`ports: gateway: ${reason}`, `ports: web: ${reason}`]]);
  });

  const later = Date.now() + 86_400_000;
  for (const [what, change, level, message] of [
    [
      "a reader that is ahead of its ledger",
      inControl("UPDATE cursors SET position = 99 WHERE reader = 'read-model:events'"),
      "error",
      "readers: read-model:events is at event 99, and the ledger ends at 4",
    ],
    [
      "a reader of another ledger",
      inControl("UPDATE cursors SET event_id = 'another' WHERE reader = 'read-model:events'"),
      "error",
      "readers: read-model:events is at event 4, and the ledger has another event there",
    ],
    [
      "a reader that is behind",
      (where: string) => {
        inControl("UPDATE cursors SET position = 1, event_id = NULL WHERE reader = 'read-model:events'")(
          where,
        );
        inLedger("UPDATE events SET created_at = 1000")(where);
      },
      "ok",
      "readers: read-model:events is 3 events behind: it catches up when Tollgate is running",
    ],
    [
      "a clock that is before the newest call",
      inLedger(`UPDATE events SET created_at = ${later} WHERE seq = 1`),
      "error",
      `the newest call was made at ${new Date(later).toISOString()}`,
    ],
    [
      "a budget that begins in the future",
      inControl(`UPDATE budgets SET since = ${later}`),
      "error",
      `1 budgets start later, the last at ${new Date(later).toISOString()}`,
    ],
    ["a damaged database", damageControl, "error", "integrity: control.db is damaged"],
    [
      "a control.db that is missing",
      (where: string) => rmSync(join(where, "control.db")),
      "error",
      "start: control.db is missing or empty, but the ledger",
    ],
    [
      "a control.db that was truncated",
      (where: string) => truncateSync(join(where, "control.db")),
      "error",
      "start: control.db is missing or empty, but the ledger",
    ],
    [
      "a ledger that a newer version wrote",
      inLedger("PRAGMA user_version = 999"),
      "error",
      "start: ledger.db: the database is of version 999",
    ],
    [
      "a control.db that a newer version wrote",
      inControl("PRAGMA user_version = 999"),
      "error",
      `start: ${folder("a-control-db-that-a-newer-version-wrote")}/control.db: the database is of version 999`,
    ],
    [
      "a ledger whose journal of calls in flight is missing",
      (where: string) => rmSync(join(where, "ledger.db-intents")),
      "error",
      "data directory: ledger.db-intents is missing, but ledger.db has events",
    ],
    [
      "a file that others may read",
      (where: string) => chmodSync(join(where, "control.db"), 0o644),
      "warning",
      "data directory: other users may read control.db",
    ],
    [
      "a webhook that fails",
      inControl(
        `INSERT INTO webhooks (id, org_id, mode, url, events, secret, created_at, failing_since)
         SELECT 'hook', id, 'live', 'https://hooks.example/secret-path', '[]', 's', 0, 1000 FROM organizations`,
      ),
      "warning",
      "deliveries: webhook hook to hooks.example has been failing since 1970-01-01T00:00:01.000Z",
    ],
    [
      "a webhook that was disabled",
      inControl(
        `INSERT INTO webhooks (id, org_id, mode, url, events, secret, created_at, disabled_at, disabled_reason)
         SELECT 'hook', id, 'live', 'https://hooks.example/secret-path', '[]', 's', 0, 1000, 'gone' FROM organizations`,
      ),
      "warning",
      "deliveries: webhook hook to hooks.example was disabled at 1970-01-01T00:00:01.000Z: gone",
    ],
  ] as const) {
    it(`finds ${what}`, async () => {
      const copy = await changed(what.replaceAll(/\W/g, "-"), change);
      const { exitCode, report, trouble } = await doctor(copy);
      const found = report.findings.filter(finding =>
        `${finding.check}: ${finding.message}`.includes(message),
      );
      expect([found.map(finding => finding.level), trouble.join("\n")]).toEqual([
        [level],
        expect.not.stringContaining("secret-path"),
      ]);
      if (level === "error") expect(exitCode).toBe(1);
    });
  }

  it("checks a directory where nothing was started yet, and creates nothing there", async () => {
    const { exitCode, trouble } = await doctor(folder("nothing"));
    expect([exitCode, trouble]).toEqual([0, [expect.stringContaining("does not exist")]]);
    expect(statSync(folder("nothing"), { throwIfNoEntry: false })).toBeUndefined();
  });
});

function damageControl(where: string): void {
  const file = openSync(join(where, "control.db"), "r+");
  for (const page of [30, 31, 32, 33]) writeSync(file, new Uint8Array(4096).fill(7), 0, 4096, 4096 * page);
  closeSync(file);
}

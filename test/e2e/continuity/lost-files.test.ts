import { afterAll, describe, expect, it } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startControl } from "@tollgate/control/start-control";
import { createClient } from "@tollgate/sdk/client";
import { ControlStore } from "@tollgate/storage/config/control-store";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { startTestGateway, type TestGateway } from "../../support/labs/test-gateway.ts";
import { sampleSettlement } from "../../support/rows/sample-event.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const undo: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const step of undo.reverse()) await step();
});

async function startGateway(dataDir?: string): Promise<TestGateway> {
  const gateway = await startTestGateway(dataDir === undefined ? {} : { dataDir });
  undo.push(() => gateway.stop());
  return gateway;
}

function call(gateway: TestGateway): Promise<Response> {
  const body = { model: "gpt-4o-mini", messages: [{ role: "user", content: "Hello" }] };
  return gateway.post("/v1/chat/completions", body, { authorization: `Bearer ${gateway.testKey}` });
}

async function metric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1] ?? -1);
}

const health = async (url: string) => {
  const answer = await fetch(url);
  return { code: answer.status, ...((await answer.json()) as { status: string }) };
};

function eventIds(path: string): string[] {
  const reader = new LedgerReader(path);
  try {
    return reader.after(0, 1000).map(({ event }) => event.id);
  } finally {
    reader.close();
  }
}

function removeDatabase(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true });
}

describe("a gateway whose ledger.db is removed while it runs", () => {
  it("refuses calls with 503, reports it, and writes every event back when it stops", async () => {
    const gateway = await startGateway();
    const ledger = join(gateway.dataDir, "ledger.db");
    let made = 0;
    const status = async () => {
      const answer = await call(gateway);
      if (answer.status === 200) made++;
      return answer.status;
    };
    expect(await status()).toBe(200);
    removeDatabase(ledger);
    await eventually("calls are refused", async () => (await status()) === 503);
    const refused = await call(gateway);
    expect(await refused.json()).toEqual({ error: "the call was not made: the ledger is lost" });
    const ingested = await gateway.post("/v1/events", {
      events: [{ id: "theirs", model: "gpt-4o-mini", input_tokens: 1, output_tokens: 1 }],
    });
    expect(ingested.status).toBe(503);
    expect(await health(`${gateway.url}/health`)).toMatchObject({ code: 503, status: "down" });
    expect(await metric(gateway.url, "svc_gateway_ledger_file_lost")).toBe(1);
    const told = gateway.logged.filter(line => line.includes("ledger.db is missing"));
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('"error"');

    await gateway.stop("keep files");
    const events = eventIds(ledger);
    expect(events).toHaveLength(made);
    expect(statSync(ledger).mode & 0o777).toBe(0o600);

    const again = await startGateway(gateway.dataDir);
    expect((await call(again)).status).toBe(200);
    expect(
      again
        .events()
        .map(({ id }) => id)
        .slice(0, -1),
    ).toEqual(events);
    expect(again.verify().differences).toEqual([]);
  });

  it("saves its own events next to a file that took the name", async () => {
    const gateway = await startGateway();
    const ledger = join(gateway.dataDir, "ledger.db");
    const other = join(gateway.dataDir, "other.db");
    new Ledger(other, "normal").close();
    expect((await call(gateway)).status).toBe(200);
    const events = gateway.events().map(({ id }) => id);
    removeDatabase(ledger);
    renameSync(other, ledger);
    await eventually("calls are refused", async () => (await call(gateway)).status === 503);
    await gateway.stop("keep files");
    expect(eventIds(ledger)).toEqual([]);
    const [rescued] = readdirSync(gateway.dataDir).filter(name => name.startsWith("ledger.db.rescued-"));
    expect(eventIds(join(gateway.dataDir, rescued ?? ""))).toEqual(expect.arrayContaining(events));
  });
});

describe("a gateway whose journal of calls in flight is missing or damaged at startup", () => {
  const told = ({ logged }: { readonly logged: readonly string[] }) =>
    logged.filter(line => line.includes("ledger.db-intents was"));

  it("logs an error if the ledger has events, and only then", async () => {
    const gateway = await startGateway();
    expect(told(gateway)).toEqual([]);
    expect((await call(gateway)).status).toBe(200);
    await gateway.stop("keep files");
    rmSync(join(gateway.dataDir, "ledger.db-intents"));
    const again = await startGateway(gateway.dataDir);
    expect(told(again)).toEqual([expect.stringContaining('"error"')]);
    await again.stop("keep files");
    expect(told(await startGateway(gateway.dataDir))).toEqual([]);
  });

  it("logs an error if it was cut off or overwritten, and starts", async () => {
    const gateway = await startGateway();
    expect((await call(gateway)).status).toBe(200);
    await gateway.stop("keep files");
    const journal = join(gateway.dataDir, "ledger.db-intents");
    truncateSync(journal, statSync(journal).size / 2);
    const cut = await startGateway(gateway.dataDir);
    expect(told(cut)).toEqual([expect.stringContaining("was damaged")]);
    await cut.stop("keep files");
    writeFileSync(journal, Buffer.alloc(statSync(journal).size, "A"));
    const overwritten = await startGateway(gateway.dataDir);
    expect(told(overwritten)).toEqual([expect.stringContaining("was damaged")]);
    expect((await call(overwritten)).status).toBe(200);
    await overwritten.stop("keep files");
    expect(told(await startGateway(gateway.dataDir))).toEqual([]);
  });
});

describe("a gateway whose control.db is removed while it runs", () => {
  it("keeps applying the last known settings, and reports it", async () => {
    const gateway = await startGateway();
    expect((await call(gateway)).status).toBe(200);
    removeDatabase(join(gateway.dataDir, "control.db"));
    await eventually("it is told", async () => (await health(`${gateway.url}/health`)).status === "degraded");
    expect((await health(`${gateway.url}/health`)).code).toBe(200);
    expect(await metric(gateway.url, "svc_gateway_control_file_lost")).toBe(1);
    expect((await call(gateway)).status).toBe(200);
    expect(gateway.logged.filter(line => line.includes("control.db is missing"))).toHaveLength(1);
  });
});

describe("a control plane whose file is removed while it runs", () => {
  async function start() {
    const dataDir = mkdtempSync(join(tmpdir(), "tollgate-test-"));
    const path = join(dataDir, "control.db");
    const ledgerPath = join(dataDir, "ledger.db");
    const store = await ControlStore.open({ kind: "sqlite", path });
    const { id } = await store.createOrganization("org", "enterprise", Date.now());
    const { key } = await store.createKey(id, "live", "write", Date.now());
    await store.close();
    const made = new Ledger(ledgerPath, "normal");
    await made.append([sampleSettlement("first", { org_id: id })]);
    // Empties the write-ahead log into the file.
    made.close();
    const ledger = new Ledger(ledgerPath, "normal");
    const logged: string[] = [];
    const control = await startControl({
      host: "127.0.0.1",
      port: 0,
      database: { kind: "sqlite", path },
      controlPath: path,
      ledgerPath,
      publicUrl: "http://tollgate.test",
      secret: "a secret that is long enough for every test",
      oidc: null,
      log: (level, message) => logged.push(`${level} ${message}`),
    });
    let isRunning = true;
    const stop = async () => {
      if (isRunning) await control.stop();
      isRunning = false;
    };
    undo.push(async () => {
      await stop();
      ledger.close();
      rmSync(dataDir, { recursive: true, force: true });
    });
    const client = createClient({ baseUrl: control.url, apiKey: key, retries: 0 });
    return { path, ledgerPath, ledger, orgId: id, url: control.url, client, logged, stop };
  }

  it("refuses changes, reports it, and writes control.db back when it stops", async () => {
    const { path, url, client, logged, stop } = await start();
    const { id } = await client.call("keys.create", { name: "kept" });
    removeDatabase(path);
    await eventually("it is told", async () => (await health(`${url}/api/health`)).status === "down");
    await expect(client.call("keys.create", { name: "refused" })).rejects.toMatchObject({ status: 503 });
    expect((await client.call("keys.list", {})).keys.map(key => key.id)).toContain(id);
    expect(await metric(url, "svc_control_database_file_lost")).toBe(1);
    expect(
      logged.filter(line => /^error .*control\.db is missing: .* until Tollgate is stopped/.test(line)),
    ).toHaveLength(1);
    await stop();
    const store = await ControlStore.open({ kind: "sqlite", path });
    const [organization] = await store.organizations();
    expect((await store.keysOf(organization?.id ?? "")).map(key => key.id)).toContain(id);
    await store.close();
  });

  it("is degraded while it cannot read a damaged ledger.db", async () => {
    const { ledgerPath, ledger, orgId, url } = await start();
    await eventually("it is ok", async () => (await health(`${url}/api/health`)).status === "ok");
    // The writer has the other pages in its cache from here on.
    await ledger.append([sampleSettlement("second", { org_id: orgId })]);
    truncateSync(ledgerPath, 4096);
    await ledger.append([sampleSettlement("third", { org_id: orgId })]);
    await eventually("it is told", async () => (await health(`${url}/api/health`)).status === "degraded");
  });

  it("reports that ledger.db is missing, and reads the file that replaces it", async () => {
    const { path, ledgerPath, url, logged } = await start();
    const copy = `${path}-copy`;
    copyFileSync(ledgerPath, copy);
    removeDatabase(ledgerPath);
    await eventually("it is told", async () => (await health(`${url}/api/health`)).status === "degraded");
    expect(await metric(url, "svc_control_ledger_file_lost")).toBe(1);
    expect(
      logged.filter(line => line.startsWith("error") && line.includes("ledger.db is missing")),
    ).toHaveLength(1);
    new Ledger(copy, "normal").close();
    renameSync(copy, ledgerPath);
    await eventually("it is read again", async () => (await health(`${url}/api/health`)).status === "ok");
    expect(existsSync(ledgerPath)).toBe(true);
  });
});

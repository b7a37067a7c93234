import { Database } from "bun:sqlite";
import { afterEach } from "bun:test";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningControl, startControl } from "@tollgate/control/start-control";
import type { Event } from "@tollgate/core/event";
import { createClient } from "@tollgate/sdk/client";
import { ControlStore } from "@tollgate/storage/config/control-store";
import {
  type ControlDatabaseOptions,
  type Engine,
  openControlDatabase,
} from "@tollgate/storage/database/open-control-database";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import type { LedgerPosition } from "@tollgate/storage/ledger/ledger-position";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { verifyLedger } from "@tollgate/storage/ledger/verify-ledger";
import { verifyProfile } from "@tollgate/storage/profile/verify-profile";
import { verifyReadModel } from "@tollgate/storage/read-model/deriving/verify-read-model";
import { sampleSettlement } from "../rows/sample-event.ts";
import { eventually } from "../waiting/eventually.ts";
import { controlDatabases } from "./control-databases.ts";

const FRAME_BYTES = 24 + 4096;

export interface Logged {
  readonly level: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

/** Labs for the tests of one file; each ends after its test, because even an idle control plane does periodic work. */
export function continuityLabs(): (engine: Engine) => Promise<ContinuityLab> {
  const labs: ContinuityLab[] = [];
  afterEach(async () => {
    for (const lab of labs.splice(0)) await lab.stop();
  });
  // Registered after the labs, so that databases are dropped once no lab uses them.
  const databases = controlDatabases();
  return async engine => {
    const lab = await startContinuityLab(await databases.place(engine));
    labs.push(lab);
    return lab;
  };
}

/** A control plane that is stopped and started, over a ledger that is lost, damaged and restored. */
async function startContinuityLab(place: ControlDatabaseOptions) {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-data-"));
  const ledgerPath = join(folder, "ledger.db");
  const controlPath = place.kind === "sqlite" ? place.path : join(folder, "control.db");
  const database = await openControlDatabase(place);
  const store = await ControlStore.open(place);
  const { id: orgId } = await store.createOrganization("org", "enterprise", Date.now());
  const { key } = await store.createKey(orgId, "live", "write", Date.now());
  await store.close();
  const logged: Logged[] = [];
  let ledger = new Ledger(ledgerPath, "normal");
  let control: RunningControl | null = null;

  const url = () => control?.url ?? "";
  async function metric(name: string): Promise<number> {
    const text = await (await fetch(`${url()}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1] ?? -1);
  }
  async function health(): Promise<{ status: string; services: { database: string } }> {
    const answer = await fetch(`${url()}/api/health`);
    return (await answer.json()) as { status: string; services: { database: string } };
  }

  const lab = {
    /** Whether the ledger is changed while the control plane is stopped. */
    readersAreAway: false,
    async whileReadersMayBeAway<Result>(work: () => Promise<Result>): Promise<Result> {
      if (!lab.readersAreAway) return await work();
      await lab.stopControl();
      const result = await work();
      await lab.start();
      return result;
    },
    orgId,
    key,
    database,
    db: database.db,
    ledgerPath,
    logged,
    url,
    metric,
    health,
    get ledger() {
      return ledger;
    },
    client: () => createClient({ baseUrl: url(), apiKey: key, retries: 0 }),
    /** Log lines about lost events. */
    divergences: () =>
      logged.filter(({ level, message }) => level === "error" && message.includes("rebuilding")),
    /** Unexpected errors. */
    faults: () => logged.filter(({ level, message }) => level === "error" && message.includes("retrying")),
    async start() {
      control = await startControl({
        host: "127.0.0.1",
        port: 0,
        database,
        controlPath,
        ledgerPath,
        publicUrl: "http://tollgate.test",
        secret: "a secret that is long enough for every test",
        oidc: null,
        log: (level, message, fields) => logged.push({ level, message, ...fields }),
      });
    },
    async stopControl() {
      await control?.stop();
      control = null;
    },
    /** Like the gateway: an agent that the ledger does not know registers. */
    async call(agentKey: string, count: number, change: Partial<Event> = {}): Promise<Event[]> {
      const created_at = Date.now();
      const settlements = Array.from({ length: count }, () =>
        sampleSettlement(crypto.randomUUID(), { org_id: orgId, created_at, agent_key: agentKey, ...change }),
      );
      const agents = ledger.hasAgent(orgId, "live", agentKey)
        ? []
        : [
            {
              id: crypto.randomUUID(),
              org_id: orgId,
              mode: "live" as const,
              agent_key: agentKey,
              first_seen_at: created_at,
            },
          ];
      // One commit each, so that each has its own frames in the write-ahead log.
      for (const [index, settlement] of settlements.entries()) {
        await ledger.append([settlement], index === 0 ? agents : []);
      }
      return settlements.map(({ event }) => event);
    },
    /** Waits until all calls are processed. */
    async caughtUp() {
      const newest = newestPosition(ledgerPath);
      await eventually("everything derived has caught up", async () => {
        const rows = await database.db.selectFrom("cursors").selectAll().execute();
        const isThere = (reader: string) =>
          rows.some(
            row => row.reader === reader && row.position === newest.seq && row.event_id === newest.eventId,
          );
        return (
          isThere("read-model:events") &&
          isThere("profile:events") &&
          (await health()).status === "ok" &&
          (await metric("svc_control_follower_lag_events")) === 0
        );
      });
    },
    backUp(): string {
      const copy = join(folder, `backup-${crypto.randomUUID()}.db`);
      const source = new Database(ledgerPath, { readonly: true });
      source.query("VACUUM INTO ?").run(copy);
      source.close();
      return copy;
    },
    /** Stops the gateway, replaces its files, and starts it again. `meanwhile` runs before anything can read them. */
    async restore(copy: string, meanwhile: (ledger: Ledger) => Promise<unknown> = async () => {}) {
      ledger.close();
      const prepared = join(folder, `prepared-${crypto.randomUUID()}.db`);
      copyFileSync(copy, prepared);
      const grown = new Ledger(prepared, "normal");
      await meanwhile(grown);
      grown.close();
      for (const file of [ledgerPath, `${ledgerPath}-wal`, `${ledgerPath}-shm`])
        rmSync(file, { force: true });
      copyFileSync(prepared, ledgerPath);
      ledger = new Ledger(ledgerPath, "normal");
    },
    /** The machine dies, and a byte in the middle of the write-ahead log is flipped. */
    crashWithFlippedByte() {
      const image = readFileSync(ledgerPath);
      const wal = readFileSync(`${ledgerPath}-wal`);
      ledger.close();
      const frames = Math.floor((wal.length - 32) / FRAME_BYTES);
      const at = 32 + Math.floor(frames * 0.6) * FRAME_BYTES + 100;
      wal[at] = (wal[at] ?? 0) ^ 0xff;
      for (const file of [ledgerPath, `${ledgerPath}-wal`, `${ledgerPath}-shm`])
        rmSync(file, { force: true });
      writeFileSync(ledgerPath, image);
      writeFileSync(`${ledgerPath}-wal`, wal);
      ledger = new Ledger(ledgerPath, "normal");
    },
    newestSeq: () => newestPosition(ledgerPath).seq,
    /** The result of `svc ledger verify`, and the ledger's contents. */
    async compare() {
      const reader = new LedgerReader(ledgerPath);
      try {
        const found = [
          ...verifyLedger(reader).differences,
          ...(await verifyReadModel(database, reader)),
          ...(await verifyProfile(database)),
        ];
        const events = reader.after(0, 100_000).map(({ event }) => event);
        return { found, events };
      } finally {
        reader.close();
      }
    },
    async stop() {
      await control?.stop();
      ledger.close();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return lab;
}

export type ContinuityLab = Awaited<ReturnType<typeof startContinuityLab>>;

function newestPosition(path: string): LedgerPosition {
  const reader = new LedgerReader(path);
  try {
    return reader.newestPosition();
  } finally {
    reader.close();
  }
}

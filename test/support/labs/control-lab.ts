import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIdentity } from "@tollgate/control/features/auth/create-identity";
import { createSignInLink } from "@tollgate/control/features/auth/create-sign-in-link";
import { createUser } from "@tollgate/control/features/auth/create-user";
import { SealedCursors } from "@tollgate/control/kernel/sealed-cursors";
import type { OutgoingOptions } from "@tollgate/control/messaging/channels/create-transports";
import { startControl } from "@tollgate/control/start-control";
import type { ControlOptions } from "@tollgate/control/startup/control-options";
import type { AnyOperation, Role } from "@tollgate/core/contract/operation";
import { operations } from "@tollgate/core/contract/operations";
import type { Event, Mode } from "@tollgate/core/event";
import type { Tier } from "@tollgate/core/limits/tiers";
import { createClient } from "@tollgate/sdk/client";
import { digestOf, newKeyText } from "@tollgate/storage/config/api-key";
import { Directory } from "@tollgate/storage/config/directory";
import {
  type ControlDatabaseOptions,
  openControlDatabase,
} from "@tollgate/storage/database/open-control-database";
import { readSeq } from "@tollgate/storage/following/stored-position";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import type { NewAgent } from "@tollgate/storage/ledger/registered-agents";
import { PROFILE_CURSOR } from "@tollgate/storage/profile/profile-repair";
import { EVENTS_CURSOR } from "@tollgate/storage/read-model/deriving/read-model-repair";
import { Browser } from "../clients/browser-session.ts";
import { organizationRow } from "../rows/organization-row.ts";
import { sampleSettlement } from "../rows/sample-event.ts";
import { eventually } from "../waiting/eventually.ts";
import { fakeClock } from "../waiting/fake-clock.ts";
import { writeMigratedFile } from "./write-migrated-file.ts";

export const NOON = "2026-11-15T12:00:00.000Z"; // a Sunday
export const NOON_MS = Date.parse(NOON);

/** Target for messages that must not be received: no test leaves this machine. */
const NOBODY_LISTENS = "127.0.0.1";

const SECRET = "a secret that is long enough for every test";

const known = Object.values<AnyOperation>(operations).map(operation => ({
  operation,
  pattern: new RegExp(`^${operation.path.replace(/:\w+/g, "[^/]+")}$`),
}));

/** An operation's literal path takes precedence over one with a parameter. */
function operationAt(method: string, path: string): AnyOperation | undefined {
  const isFixed = known.some(({ operation }) => operation.path === path);
  return known.find(
    ({ operation, pattern }) =>
      operation.method === method && (isFixed ? operation.path === path : pattern.test(path)),
  )?.operation;
}

type LabSettings = Partial<
  Pick<
    ControlOptions,
    "checkout" | "freeVerifications" | "requestTimeoutMs" | "requestsPerMinute" | "tierPrices"
  >
>;

/** A real control plane over real files; the gateway's own ledger writes what the gateway would write. */
export async function startControlLab(
  place?: ControlDatabaseOptions,
  outgoing?: OutgoingOptions,
  settings: LabSettings = {},
) {
  const dataDir = mkdtempSync(join(tmpdir(), "tollgate-test-"));
  // The gateway always reads this file; with PostgreSQL it is a copy.
  const controlPath = place?.kind === "sqlite" ? place.path : join(dataDir, "control.db");
  const ledgerPath = join(dataDir, "ledger.db");
  const clock = fakeClock(NOON);
  // Monotonic, and apart from the clock: a test may move either.
  const uptime = fakeClock(NOON);
  const logged: string[] = [];
  if (place?.kind !== "sqlite") await writeMigratedFile(controlPath);
  const database = await openControlDatabase(place ?? { kind: "sqlite", path: controlPath });
  const { db } = database;
  const directory = new Directory(controlPath);
  const ledger = new Ledger(ledgerPath, "normal", undefined, { budgets: directory });
  const reader = new LedgerReader(ledgerPath);
  const control = await startControl({
    host: "127.0.0.1",
    port: 0,
    database,
    controlPath,
    ledgerPath,
    publicUrl: "http://tollgate.test",
    secret: SECRET,
    oidc: null,
    outgoing: outgoing ?? { allowedPrivateTargets: NOBODY_LISTENS },
    ...settings,
    log: (level, message, fields) => logged.push(JSON.stringify({ level, message, ...fields })),
    now: clock.now,
    uptimeMs: uptime.now,
  });
  const identity = await createIdentity({
    db,
    engine: database.engine,
    publicUrl: control.url,
    secret: SECRET,
    oidc: null,
    log: () => {},
  });
  const cursors = new SealedCursors(SECRET);
  const knownAgents = new Map<string, NewAgent>();
  let made = 0;

  /** How many events the live channel has yet to publish; -1: it is unknown. Its position is in memory only. */
  async function unpublished(): Promise<number> {
    const text = await (await fetch(`${control.url}/metrics`)).text();
    return Number(/^svc_control_reader_lag_events\{reader="live:events"\} (\d+)$/m.exec(text)?.[1] ?? -1);
  }

  /** Asked of the database, because tests ask often: the metrics take several times as long, and hold much else. */
  async function haveFollowed(): Promise<boolean> {
    const newest = reader.newestSeq();
    const positions = await Promise.all([EVENTS_CURSOR, PROFILE_CURSOR].map(name => readSeq(db, name)));
    return positions.every(seq => seq >= newest);
  }

  /** Every JSON answer is validated against the operation's own schema: an undeclared field fails the test. */
  async function checkedFetch(request: Request): Promise<Response> {
    const answer = await fetch(request);
    const path = new URL(request.url).pathname;
    const operation = operationAt(request.method, path);
    if (answer.ok && operation?.output) operation.output.parse(await answer.clone().json());
    return answer;
  }

  async function createKey(orgId: string, mode: Mode, scope: "read" | "write"): Promise<string> {
    const key = newKeyText(mode);
    await db
      .insertInto("api_keys")
      .values({
        id: crypto.randomUUID(),
        org_id: orgId,
        digest: digestOf(key),
        last_four: key.slice(-4),
        mode,
        scope,
        name: null,
        created_at: clock.now(),
        revoked_at: null,
      })
      .execute();
    return key;
  }

  const clientOf = (apiKey: string) =>
    createClient({ baseUrl: control.url, apiKey, fetch: checkedFetch, retries: 0 });

  return {
    url: control.url,
    dataDir,
    clock,
    uptime,
    database,
    db,
    ledger,
    logged,
    clientOf,
    createKey,
    /** Converts a live message's `seq` to its position, and back. */
    placeOf: (orgId: string, seq: string) =>
      cursors.open({ orgId, mode: "live" }, "live", seq)?.seq ?? Number.NaN,
    seqAt: (orgId: string, place: number) =>
      cursors.seal({ orgId, mode: "live" }, "live", { at: 0, seq: place }),
    async organization(tier: Tier = "enterprise") {
      const id = crypto.randomUUID();
      await db
        .insertInto("organizations")
        .values(organizationRow({ id, name: `org ${++made}`, tier, created_at: clock.now() }))
        .execute();
      const live = await createKey(id, "live", "write");
      const read = await createKey(id, "live", "read");
      const test = await createKey(id, "test", "write");
      return {
        id,
        liveKey: live,
        readKey: read,
        testKey: test,
        client: clientOf(live),
        testClient: clientOf(test),
        /** Events of this organization, as if the gateway had settled them; waits until they are visible. */
        addEvents: (...changes: Partial<Event>[]) => addEvents(id, changes),
        agentId: (agentKey: string, mode: Mode = "live") =>
          knownAgents.get(`${id} ${mode} ${agentKey}`)?.id ?? "",
      };
    },
    async member(orgId: string, role: Role): Promise<Browser> {
      const email = `${role}-${++made}@example.org`;
      await createUser(identity, { orgId, email, role });
      const browser = new Browser();
      const link = new URL(await createSignInLink(identity, email, { orgId }));
      await browser.send(`${control.url}${link.pathname}${link.search}`);
      return browser;
    },
    send(path: string, init: RequestInit & { key?: string } = {}): Promise<Response> {
      const { key, ...rest } = init;
      const headers = new Headers(rest.headers);
      if (key !== undefined) headers.set("authorization", `Bearer ${key}`);
      return fetch(control.url + path, { ...rest, headers });
    },
    gatewayKnowsBudgets,
    /** The live channel has published everything: a viewer that comes now begins after it. */
    async isPublished(): Promise<void> {
      await eventually("the live channel has followed the ledger", async () => (await unpublished()) === 0);
    },
    async stop() {
      await control.stop();
      reader.close();
      ledger.close();
      directory.close();
      await database.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };

  /** With PostgreSQL the gateway reads a copy, and adds events only to the budgets that it knows. */
  async function gatewayKnowsBudgets(): Promise<void> {
    const budgets = await db.selectFrom("budgets").select("id").execute();
    await eventually("the gateway knows all budgets", () => {
      const known = new Set(directory.allBudgets().map(({ id }) => id));
      return budgets.every(({ id }) => known.has(id));
    });
  }

  async function addEvents(orgId: string, changes: readonly Partial<Event>[]): Promise<Event[]> {
    const agents: NewAgent[] = [];
    const settlements = changes.map(change => {
      const event = { org_id: orgId, created_at: clock.now(), ...change };
      const mode = event.mode ?? "live";
      const agentKey = event.agent_key ?? "default";
      const name = `${orgId} ${mode} ${agentKey}`;
      if (!knownAgents.has(name)) {
        const agent = {
          id: crypto.randomUUID(),
          org_id: orgId,
          mode,
          agent_key: agentKey,
          first_seen_at: event.created_at,
        };
        knownAgents.set(name, agent);
        agents.push(agent);
      }
      return sampleSettlement(crypto.randomUUID(), event);
    });
    await gatewayKnowsBudgets();
    await ledger.append(settlements, agents);
    await eventually("read model and profile have followed the ledger", haveFollowed);
    return settlements.map(({ event }) => event);
  }
}

export type ControlLab = Awaited<ReturnType<typeof startControlLab>>;

import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { type RunningControl, startControl } from "@tollgate/control/start-control";
import { createClient } from "@tollgate/sdk/client";
import { ControlStore } from "@tollgate/storage/config/control-store";
import {
  type ControlDatabase,
  type ControlDatabaseOptions,
  openControlDatabase,
} from "@tollgate/storage/database/open-control-database";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { shipLedger } from "@tollgate/storage/shared-ledger/ship-ledger";
import { SQL } from "bun";
import { controlDatabases } from "../support/labs/control-databases.ts";
import { temporaryFolder } from "../support/labs/temporary-folder.ts";
import { sampleSettlement } from "../support/rows/sample-event.ts";
import { startTcpProxy } from "../support/servers/tcp-proxy.ts";
import { eventually } from "../support/waiting/eventually.ts";

const databases = controlDatabases();
const inFolder = temporaryFolder();
const undo: (() => unknown)[] = [];
afterAll(async () => {
  for (const step of undo.reverse()) await step();
});
let made = 0;

interface Plane {
  readonly control: RunningControl;
  readonly logged: string[];
  stop(): Promise<void>;
  /** The ids of all calls that its web API lists, oldest first. */
  events(): Promise<string[]>;
  metrics(): Promise<string>;
}

let database: ControlDatabase;
let place: ControlDatabaseOptions;
let orgId: string;
let key: string;
const nodes: ReturnType<typeof openNode>[] = [];

function openNode(id: string) {
  const path = inFolder(`${id}.db`);
  const ledger = new Ledger(path, "normal");
  const reader = new LedgerReader(path);
  const shipping = shipLedger(database, reader, id);
  undo.push(
    () => ledger.close(),
    () => reader.close(),
  );
  const ids: string[] = [];
  return {
    ids,
    async call(count: number): Promise<void> {
      const fresh = Array.from({ length: count }, () => crypto.randomUUID());
      await ledger.append(fresh.map(one => sampleSettlement(one, { org_id: orgId, created_at: Date.now() })));
      ids.push(...fresh);
      await shipping.catchUp();
    },
  };
}

async function startPlane(from = place): Promise<Plane> {
  const number = ++made;
  const logged: string[] = [];
  const control = await startControl({
    host: "127.0.0.1",
    port: 0,
    database: from,
    controlPath: inFolder(`control-${number}.db`),
    ledgerPath: inFolder(`copy-${number}.db`),
    copiesLedger: true,
    publicUrl: "http://tollgate.test",
    secret: "a secret that is long enough for every test",
    oidc: null,
    log: (_level, message) => logged.push(message),
  });
  const client = createClient({ baseUrl: control.url, apiKey: key, retries: 0 });
  let isStopped = false;
  const plane: Plane = {
    control,
    logged,
    async stop() {
      if (!isStopped) await control.stop();
      isStopped = true;
    },
    async events() {
      const { events } = await client.call("events.list", { limit: 100 });
      return events.map(({ id }) => id).sort();
    },
    metrics: async () => (await fetch(`${control.url}/metrics`)).text(),
  };
  undo.push(plane.stop);
  return plane;
}

const allIds = () => nodes.flatMap(({ ids }) => ids).sort();
const shows = async (plane: Plane) => (await plane.events()).join() === allIds().join();

async function leading(planes: readonly Plane[]): Promise<Plane[]> {
  const isLeading = await Promise.all(
    planes.map(async plane => {
      const metrics = await plane.metrics();
      return metrics.includes('reader="read-model:events"') && metrics.includes("svc_control_leads_jobs 1");
    }),
  );
  return planes.filter((_, index) => isLeading[index]);
}

beforeAll(async () => {
  place = await databases.place("postgres");
  database = await openControlDatabase(place);
  undo.push(() => database.close());
  const store = await ControlStore.open(place);
  ({ id: orgId } = await store.createOrganization("several", "enterprise", Date.now()));
  ({ key } = await store.createKey(orgId, "live", "write", Date.now()));
  await store.close();
  nodes.push(openNode("node-1"), openNode("node-2"));
});

describe("two control planes", () => {
  it("REL-021 show every node's calls, and the second goes on with the work of the first", async () => {
    const both = [await startPlane(), await startPlane()];
    await Promise.all(nodes.map(node => node.call(3)));
    for (const plane of both) await eventually("it shows all calls", () => shows(plane));
    // On a busy machine the second may have taken over.
    let leader: Plane | undefined;
    await eventually("one of them leads", async () => {
      const leaders = await leading(both);
      [leader] = leaders;
      return leaders.length === 1;
    });
    const second = both.find(plane => plane !== leader);
    if (leader === undefined || second === undefined) throw new Error("there is no leader");

    await eventually("the other one stands by", () =>
      second.logged.includes("another control plane does the background work; standing by"),
    );

    await leader.stop();
    await Promise.all(nodes.map(node => node.call(2)));
    await eventually("the second derives the new calls", () => shows(second));
    expect(second.logged).toContain("this control plane takes over the background work");

    // Its copy is behind, and the cursors are ahead of it.
    const third = await startPlane();
    await eventually("a third one shows all of them", () => shows(third));
    await second.stop();
    await nodes[0]?.call(1);
    await eventually("the third derives the new calls", () => shows(third));
    const rebuilds = await database.db.selectFrom("rebuilds").selectAll().execute();
    expect(rebuilds).toEqual([]);
    expect(allIds().length).toBe(11);
  });
});

it("REL-010 without PostgreSQL its metrics are read with a key from another machine", async () => {
  if (place.kind !== "postgres") throw new Error("it is on PostgreSQL");
  const url = new URL(place.url);
  const network = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
  undo.push(() => network.stop());
  url.port = String(network.port);
  const plane = await startPlane({ kind: "postgres", url: url.href });
  // Not addressed as localhost, so it might come from anywhere.
  const read = (authorization: string) =>
    fetch(`${plane.control.url}/metrics`, { headers: { host: "tollgate.example", authorization } });
  expect((await read("Bearer sk_live_unknown")).status).toBe(401);
  expect((await read(`Bearer ${key}`)).status).toBe(200);
  network.cut();
  const answer = await read(`Bearer ${key}`);
  expect(answer.status).toBe(200);
  expect(await answer.text()).toMatch(/^svc_control_database_up 0$/m);
  network.open();
  await plane.stop();
});

it("with a PostgreSQL that can only be read it is degraded, and refuses changes with 503", async () => {
  if (place.kind !== "postgres") throw new Error("it is on PostgreSQL");
  const plane = await startPlane();
  const admin = new SQL(place.url, { max: 1 });
  const name = new URL(place.url).pathname.slice(1);
  const setReadOnly = async (value: "on" | "off") => {
    await admin.unsafe("SET default_transaction_read_only = off");
    await admin.unsafe(`ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`);
    // For sessions that begin from now on.
    await admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  };
  const status = async () => {
    const health = (await (await fetch(`${plane.control.url}/api/health`)).json()) as { status: string };
    return health.status;
  };
  const change = () =>
    fetch(`${plane.control.url}/api/budgets`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ period: "daily", limit_microcents: 1, enforcement_mode: "alert_only" }),
    });
  try {
    await setReadOnly("on");
    await eventually("it is degraded", async () => (await status()) === "degraded");
    await eventually("changes are refused", async () => (await change()).status === 503);
    await setReadOnly("off");
    await eventually("changes are made", async () => (await change()).status === 201);
    await eventually("it is well", async () => (await status()) === "ok");
  } finally {
    await setReadOnly("off");
    await admin.close();
    await plane.stop();
  }
});

it("REL-021 says that PostgreSQL has lost events which it has copied, as in a failover", async () => {
  const plane = await startPlane();
  await nodes[0]?.call(1);
  await eventually("it shows all calls", () => shows(plane));
  const status = async () => {
    const health = (await (await fetch(`${plane.control.url}/api/health`)).json()) as { status: string };
    return health.status;
  };
  await eventually("it is well", async () => (await status()) === "ok");
  expect(await plane.metrics()).toMatch(/^svc_control_ledger_diverged 0$/m);
  await database.db.transaction().execute(async transaction => {
    const { position } = await transaction
      .updateTable("shared_ledger_end")
      .set(({ eb }) => ({ position: eb("position", "-", 1) }))
      .returning("position")
      .executeTakeFirstOrThrow();
    await transaction.deleteFrom("shared_events").where("position", ">", position).execute();
  });
  await eventually("its metrics say so", async () =>
    /^svc_control_ledger_diverged 1$/m.test(await plane.metrics()),
  );
  expect(await status()).toBe("degraded");
  await eventually("its log says what to do", () =>
    plane.logged.some(line => /PostgreSQL does not have event \d+, .* delete its ledger.db/.test(line)),
  );
  await plane.stop();
});

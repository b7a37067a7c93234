import { existsSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@tollgate/sdk/client";
import { ControlStore } from "@tollgate/storage/config/control-store";
import { COUNTING_SINCE } from "@tollgate/storage/shared-limits/redis-burst-counter";
import { type RunningTollgate, startTollgate, svc } from "../../test/support/processes/tollgate-process.ts";
import { startRedis } from "../../test/support/servers/redis.ts";
import { startTcpProxy } from "../../test/support/servers/tcp-proxy.ts";
import { eventually } from "../../test/support/waiting/eventually.ts";
import { endWithBench } from "../kit/owned-process.ts";
import { temporaryDirectory } from "../kit/temporary-directory.ts";
import { isAnswering } from "./read-metrics.ts";
import { serveRecordingProvider } from "./recording-provider.ts";
import { startRestartablePostgres } from "./restartable-postgres.ts";

const NODES = ["node-1", "node-2", "node-3"];
const PLANES = ["control-1", "control-2"];
const HOUR_MS = 3_600_000;
/** High enough to never refuse a call. */
const BURST_PER_MINUTE = 1_000_000;
const SECRET = "a secret that is long enough";

/** A gateway and its sidecar. */
export interface Node {
  readonly name: string;
  readonly tollgate: RunningTollgate;
  readonly url: string;
}

/** A control plane. It has another process after `restart`. */
export interface Plane {
  readonly name: string;
  tollgate: RunningTollgate;
}

export interface Verified {
  readonly name: string;
  readonly ok: boolean;
  /** Events that were not shipped, or not copied, yet. */
  readonly pending: number;
  readonly text: string;
}

export type Cluster = Awaited<ReturnType<typeof startCluster>>;

/** Three gateways, two control planes, PostgreSQL, Redis and a provider, on loopback. */
export async function startCluster() {
  const folder = temporaryDirectory("cluster");
  const postgres = await startRestartablePostgres();
  const redis = await startRedis(temporaryDirectory("redis"));
  /** Between the gateways and PostgreSQL, and between everything and Redis. */
  const network = await startTcpProxy({ host: "127.0.0.1", port: postgres.port });
  const redisNetwork = await startTcpProxy({ host: "127.0.0.1", port: redis.port });
  const provider = serveRecordingProvider();
  const viaNetwork = new URL(postgres.url);
  viaNetwork.port = String(network.port);
  const shared = {
    SVC_OPENAI_BASE_URL: provider.url,
    SVC_REDIS_URL: `redis://127.0.0.1:${redisNetwork.port}`,
    // As by default: calls have priority.
    SVC_CONTROL_NICENESS: "10",
  };
  const control = { ...shared, SVC_ROLE: "control", SVC_DATABASE_URL: postgres.url, SVC_SECRET: SECRET };
  const gateway = { ...shared, SVC_ROLE: "gateway", SVC_DATABASE_URL: viaNetwork.href };

  function start(name: string, settings: Record<string, string>): RunningTollgate {
    const tollgate = startTollgate(join(folder, name), settings);
    endWithBench(tollgate);
    return tollgate;
  }
  async function startPlane(name: string): Promise<RunningTollgate> {
    const tollgate = start(name, control);
    await eventually(`${name} is up`, async () => {
      return existsSync(tollgate.addresses) && (await isAnswering(`${tollgate.addressOf("web")}/api/health`));
    });
    return tollgate;
  }
  async function startNode(name: string): Promise<Node> {
    const tollgate = start(name, { ...gateway, SVC_NODE_ID: name });
    const node = { name, tollgate, url: await tollgate.ready() };
    await eventually(`${name} is up`, () => isAnswering(`${node.url}/health`));
    return node;
  }

  await redisCountsSince(Date.now() - HOUR_MS);
  const planes: Plane[] = [];
  for (const name of PLANES) planes.push({ name, tollgate: await startPlane(name) });
  const store = await ControlStore.open({ kind: "postgres", url: postgres.url });
  const { id: orgId } = await store.createOrganization("bench", "enterprise", Date.now());
  await store.updateOrganization(orgId, { burst_per_minute: BURST_PER_MINUTE });
  const { key } = await store.createKey(orgId, "live", "write", Date.now());
  await store.close();
  const nodes = await Promise.all(NODES.map(startNode));
  for (const node of nodes) await eventually(`${node.name} knows the key`, () => knowsKey(node, key));

  /** As if Redis knew all calls since then. Without this, limits are divided for a minute after it was started. */
  async function redisCountsSince(ms: number): Promise<void> {
    await redis.send("SET", [COUNTING_SINCE, String(ms)]);
  }

  async function verify(name: string, settings: Record<string, string>): Promise<Verified> {
    // Not through the faulty network.
    const direct = { ...settings, SVC_DATABASE_URL: postgres.url };
    const { exitCode, stdout, stderr } = await svc(
      join(folder, name),
      ["ledger", "verify", "--json"],
      direct,
    );
    if (stdout === "") return { name, ok: false, pending: 0, text: stderr.trim() };
    // Our own command wrote it.
    const value = JSON.parse(stdout) as {
      differences: string[];
      shared_ledger: { pending_events: number } | null;
    };
    const pending = value.shared_ledger?.pending_events ?? 0;
    return { name, ok: exitCode === 0, pending, text: value.differences.join("; ") };
  }

  return {
    postgres,
    redis,
    network,
    redisNetwork,
    provider,
    nodes,
    planes,
    orgId,
    /** A live key with all permissions. */
    key,
    redisCountsSince,
    client: (plane = planes[0]) =>
      createClient({ baseUrl: plane?.tollgate.addressOf("web") ?? "", apiKey: key, retries: 0 }),
    /** Starts a control plane whose processes were killed. */
    async restart(plane: Plane): Promise<void> {
      await plane.tollgate.end();
      plane.tollgate = await startPlane(plane.name);
    },
    /** A single machine with the same provider, to compare with. */
    async startSingle() {
      const tollgate = start("single", { SVC_OPENAI_BASE_URL: provider.url });
      return { tollgate, url: await tollgate.ready() };
    },
    /** `svc ledger verify` on every machine. */
    verify: () =>
      Promise.all([
        ...PLANES.map(name => verify(name, control)),
        ...NODES.map(name => verify(name, { ...gateway, SVC_NODE_ID: name })),
      ]),
    async stop() {
      const all = [...nodes, ...planes].map(({ tollgate }) => tollgate);
      await Promise.all(all.map(tollgate => tollgate.end()));
      network.stop();
      redisNetwork.stop();
      await redis.stop();
      await postgres.stop();
      await provider.stop();
    },
  };
}

export async function knowsKey({ url }: Node, key: string): Promise<boolean> {
  const answer = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  await answer.arrayBuffer();
  return answer.status !== 401;
}

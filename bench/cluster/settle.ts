import type { Cluster } from "./cluster.ts";
import { readMetrics } from "./read-metrics.ts";

const LIMIT_MS = 90_000;
const POLL_MS = 200;
const OF_NODE = [
  "svc_gateway_in_flight",
  "svc_gateway_unsettled_events",
  "svc_gateway_unshipped_events",
] as const;
const OF_PLANE = ["svc_control_follower_lag_events", "svc_control_reader_lag_events"] as const;

/**
 * Waits until no call is open, every node has shipped everything, and a leading control plane has derived everything.
 * Resolves with the seconds that it took; null: it did not happen.
 */
export async function settle(cluster: Cluster): Promise<number | null> {
  const startedMs = performance.now();
  while (performance.now() - startedMs < LIMIT_MS) {
    if (await isSettled(cluster)) return (performance.now() - startedMs) / 1000;
    await Bun.sleep(POLL_MS);
  }
  return null;
}

async function isSettled({ nodes, planes, postgres }: Cluster): Promise<boolean> {
  const ofNodes = await Promise.all(nodes.map(({ url }) => readMetrics(url, OF_NODE)));
  if (!ofNodes.every(metrics => metrics !== null && OF_NODE.every(name => metrics[name] === 0))) return false;
  const end = await sharedEnd(postgres);
  const ofPlanes = await Promise.all(
    planes.map(({ tollgate }) =>
      readMetrics(tollgate.addressOf("web"), ["svc_control_leads_jobs", ...OF_PLANE]),
    ),
  );
  const leading = ofPlanes.filter(metrics => metrics?.svc_control_leads_jobs === 1);
  if (leading.length !== 1 || ofPlanes.includes(null)) return false;
  if (!leading.every(metrics => OF_PLANE.every(name => metrics?.[name] === 0))) return false;
  // The lag is counted from a control plane's own copy, which may be behind.
  const [followed] = await postgres.query<{ position: string }>(
    "SELECT position FROM cursors WHERE reader = 'read-model:events'",
  );
  return Number(followed?.position) === end;
}

/** The position of the last event that any node has shipped. */
export async function sharedEnd(postgres: Cluster["postgres"]): Promise<number> {
  const [row] = await postgres.query<{ position: string }>("SELECT position FROM shared_ledger_end");
  return Number(row?.position);
}

import { apiKeyIn } from "@tollgate/core/wire/api-key-header";
import { TrustedProxies } from "@tollgate/core/wire/trusted-proxies";
import { digestOf } from "@tollgate/storage/config/api-key";
import { type History, readHistory } from "@tollgate/storage/database/history";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { freeBytes } from "@tollgate/storage/engine/free-bytes";
import { listNodes, type NodeStatus } from "@tollgate/storage/shared-ledger/node-register";
import type { Control } from "../../kernel/context.ts";
import type { AppParts } from "../http/app-parts.ts";
import type { WebMetrics } from "./web-metrics.ts";

/** Well below the ten seconds after which Prometheus gives up. */
const MAX_ANSWER_MS = 3000;

type MetricsParts = Pick<
  AppParts,
  "control" | "copiedKeys" | "followers" | "leadsJobs" | "resolvePrincipal" | "trustedProxies"
>;

/** Open to programs on this machine; anybody else needs a key. The gateway has the same rule. */
export async function answerMetrics(
  request: Request,
  peer: string | null,
  parts: MetricsParts,
  metrics: WebMetrics,
): Promise<Response> {
  const isLocal = (parts.trustedProxies ?? TrustedProxies.none).isLocal(request.headers, peer);
  if (!isLocal && !hasCopiedKey(request, parts)) await parts.resolvePrincipal(request);
  const { control } = parts;
  const stored = await readStored(control);
  const gauges = {
    svc_control_database_up: stored === null ? 0 : 1,
    svc_control_follower_lag_events: stored?.lag ?? null,
    svc_control_database_file_lost: control.files.database?.isLost ? 1 : 0,
    svc_control_ledger_file_lost: control.files.ledger.isLost ? 1 : 0,
    svc_control_ledger_diverged: control.continuity.isDegraded ? 1 : 0,
    svc_control_ledger_rebuilds: control.continuity.rebuilds,
    svc_control_history_begins_seconds: stored === null ? null : stored.history.beginsAtMs / 1000,
    svc_control_removed_calls: stored?.removedCalls ?? null,
    svc_control_uptime_seconds: Math.floor((control.now() - control.startedAt) / 1000),
    svc_control_leads_jobs: parts.leadsJobs?.() ? 1 : 0,
    svc_control_disk_free_bytes: freeBytes(control.files.ledger.path),
  };
  const text = metrics.render(gauges, parts.followers?.(), stored?.nodes);
  return new Response(text, { headers: { "content-type": "text/plain; version=0.0.4" } });
}

/** As in the gateway: metrics are what shows that the database is away, so that must not close them. */
function hasCopiedKey({ headers }: Request, { copiedKeys, control }: MetricsParts): boolean {
  const key = apiKeyIn(headers);
  if (key === null || copiedKeys === undefined) return false;
  return copiedKeys.findByDigest(digestOf(key), control.now())?.status === "active";
}

interface Stored {
  readonly lag: number;
  readonly nodes: readonly NodeStatus[];
  readonly history: History;
  /** By retention, from the read model. */
  readonly removedCalls: number;
}

/** null: the database does not answer. The other metrics are needed most just then. */
async function readStored({ readModel, db, engine }: Control): Promise<Stored | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), MAX_ANSWER_MS);
  const reading = Promise.all([
    readModel.lag(),
    listNodes({ db, engine }),
    readHistory(db),
    removedCallsOf(db),
  ]).then(
    ([lag, nodes, history, removedCalls]) => ({ lag, nodes, history, removedCalls }),
    () => null,
  );
  try {
    return await Promise.race([reading, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function removedCallsOf(db: ControlDb): Promise<number> {
  const row = await db
    .selectFrom("removed_days")
    .select(({ fn }) => fn.sum<number | string | null>("calls").as("calls"))
    .executeTakeFirst();
  return Number(row?.calls ?? 0);
}

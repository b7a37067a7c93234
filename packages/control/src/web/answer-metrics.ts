import { TrustedProxies } from "@tollgate/core/wire/trusted-proxies";
import type { AppParts } from "../http/app-parts.ts";
import type { WebMetrics } from "./web-metrics.ts";

/** Open to programs on this machine; anybody else needs a key. The gateway has the same rule. */
export async function answerMetrics(
  request: Request,
  peer: string | null,
  parts: Pick<AppParts, "control" | "followers" | "resolvePrincipal" | "trustedProxies">,
  metrics: WebMetrics,
): Promise<Response> {
  if (!(parts.trustedProxies ?? TrustedProxies.none).isLocal(request.headers, peer))
    await parts.resolvePrincipal(request);
  const { control } = parts;
  const gauges = {
    svc_control_follower_lag_events: await control.readModel.lag(),
    svc_control_database_file_lost: control.files.database?.isLost ? 1 : 0,
    svc_control_ledger_file_lost: control.files.ledger.isLost ? 1 : 0,
    svc_control_ledger_diverged: control.continuity.isDegraded ? 1 : 0,
    svc_control_ledger_rebuilds: control.continuity.rebuilds,
    svc_control_uptime_seconds: Math.floor((control.now() - control.startedAt) / 1000),
  };
  const text = metrics.render(gauges, parts.followers?.());
  return new Response(text, { headers: { "content-type": "text/plain; version=0.0.4" } });
}

import { freeBytes } from "@tollgate/storage/engine/free-bytes";
import type { Gateway } from "../gateway.ts";
import { nodeState } from "../node-state.ts";
import { resolveKey } from "../request/authenticate.ts";

/** `GET /metrics`: open to loopback clients; all others need a key, as in the control plane. */
export function metrics(request: Request, peerAddress: string | null, gateway: Gateway): Response {
  // Metrics are what shows that the configuration is too old, so that does not close them.
  if (!gateway.trustedProxies.isLocal(request.headers, peerAddress)) resolveKey(request.headers, gateway);
  const { ledger, directory, sharedBurst } = gateway;
  // An idle gateway has not looked at the file.
  directory.refresh();
  const text = gateway.metrics.render({
    svc_gateway_unsettled_events: ledger.countUnsettled(),
    svc_gateway_ledger_file_lost: ledger.file.isLost ? 1 : 0,
    svc_gateway_control_file_lost: directory.file.isLost ? 1 : 0,
    svc_gateway_disk_free_bytes: freeBytes(ledger.file.path),
    ...nodeGauges(gateway),
    ...(sharedBurst === null ? {} : { svc_gateway_live_nodes: directory.liveNodes }),
    ...(sharedBurst?.hasCounter ? { svc_gateway_redis_up: sharedBurst.isCounting ? 1 : 0 } : {}),
  });
  return new Response(text, {
    headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
  });
}

/** What is unknown has no sample. */
function nodeGauges(gateway: Gateway): Record<string, number | null> {
  if (gateway.node === null) return {};
  const state = nodeState(gateway.node, gateway.ledger.find.newestSeq(), gateway.now());
  return {
    svc_gateway_database_up: state.isDatabaseUp ? 1 : 0,
    svc_gateway_config_age_seconds: state.configAgeSeconds,
    svc_gateway_unshipped_events: state.unshippedEvents,
    svc_gateway_shipping_lag_seconds: state.shippingLagSeconds,
  };
}

import type { Gateway } from "../gateway.ts";
import { nodeState } from "../node-state.ts";
import { GATEWAY_VERSION } from "../version.ts";

/** `GET /health`: 503 while the gateway refuses calls. */
export function health(gateway: Gateway): Response {
  const { ledger, ledgerState, directory, inFlight } = gateway;
  const node = gateway.node === null ? null : nodeState(gateway.node, ledger.find.newestSeq(), gateway.now());
  const isDegraded = directory.file.isLost || node?.isDegraded === true;
  const refusing = inFlight.draining
    ? "stopping"
    : ledger.file.isLost || ledgerState.isFailing
      ? "down"
      : node?.isStarting
        ? "starting"
        : null;
  return Response.json(
    {
      status: refusing ?? (isDegraded ? "degraded" : "ok"),
      timestamp: new Date(gateway.now()).toISOString(),
      version: GATEWAY_VERSION,
      ...(node && {
        node: {
          id: gateway.node?.id,
          database: node.isDatabaseUp ? "ok" : "down",
          config_age_seconds: node.configAgeSeconds,
          unshipped_events: node.unshippedEvents,
          shipping_lag_seconds: node.shippingLagSeconds,
        },
      }),
    },
    { status: refusing === null ? 200 : 503 },
  );
}

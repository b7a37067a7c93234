import type { Gateway } from "../gateway.ts";
import { GATEWAY_VERSION } from "../version.ts";

/** `GET /health`: 503 while the gateway refuses calls. */
export function health(gateway: Gateway): Response {
  const { draining } = gateway.inFlight;
  const isRefusing = draining || gateway.ledger.file.isLost;
  return Response.json(
    {
      status: draining ? "stopping" : stateOf(gateway),
      timestamp: new Date(gateway.now()).toISOString(),
      version: GATEWAY_VERSION,
    },
    { status: isRefusing ? 503 : 200 },
  );
}

function stateOf({ ledger, directory }: Gateway): "ok" | "degraded" | "down" {
  if (ledger.file.isLost) return "down";
  return directory.file.isLost ? "degraded" : "ok";
}

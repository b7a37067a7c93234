import { fail } from "@tollgate/core/errors";
import type { GatewayCaller } from "@tollgate/storage/config/directory";
import type { Gateway } from "../gateway.ts";
import { authenticate, refuseTwoHosts } from "../request/authenticate.ts";

/** Authorizes a caller to report calls: a write key of an active organization within its monthly limit. */
export function admitReporter(headers: Headers, gateway: Gateway): GatewayCaller {
  if (gateway.inFlight.draining) throw fail("shutting_down", "the gateway is shutting down");
  refuseTwoHosts(headers);
  const caller = authenticate(headers, gateway);
  if (caller.permission !== "write") {
    throw fail("insufficient_scope", "this API key may only read; ingestion needs a key with scope write");
  }
  gateway.limits.checkMonth(caller, gateway.now());
  return caller;
}

export function settledHeaders(startedAtMs: number, cost: number | null): Record<string, string> {
  return {
    "x-gateway-latency": `${Math.round(performance.now() - startedAtMs)}ms`,
    ...(cost === null ? {} : { "x-gateway-cost": String(cost) }),
  };
}

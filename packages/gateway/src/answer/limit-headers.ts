import type { GatewayCaller } from "@tollgate/storage/config/directory";
import type { Gateway } from "../gateway.ts";
import { findCaller } from "../request/authenticate.ts";

/** `RateLimit-*` of a refusal; none if the caller, and therefore its limits, is unknown. */
export function limitHeaders(headers: Headers, gateway: Gateway): Record<string, string> {
  return limitHeadersOf(findCaller(headers, gateway), gateway);
}

export function limitHeadersOf(caller: GatewayCaller | null, gateway: Gateway): Record<string, string> {
  if (caller === null || caller.status !== "active") return {};
  return { ...gateway.limits.headers(caller, gateway.now()) };
}

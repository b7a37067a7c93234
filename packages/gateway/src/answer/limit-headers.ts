import type { Gateway } from "../gateway.ts";
import { authenticate } from "../request/authenticate.ts";

/** `RateLimit-*` of a refusal; none if the caller, and therefore its limits, is unknown. */
export function limitHeaders(headers: Headers, gateway: Gateway): Record<string, string> {
  try {
    const caller = authenticate(headers, gateway);
    return { ...gateway.limits.headers(caller, caller.limits, gateway.now()) };
  } catch {
    return {};
  }
}

import { TollgateError } from "@tollgate/core/errors";
import type { Principal, RequestOrigin } from "../kernel/context.ts";
import type { RequestRates } from "./request-rates.ts";

/**
 * Resolves the principal and applies its rate limit. A request without a valid credential is counted by address, so
 * that keys cannot be guessed at will.
 */
export async function admitPrincipal(
  rates: RequestRates,
  request: Request,
  peer: string | null,
  resolve: () => Promise<Principal>,
): Promise<Principal> {
  let principal: Principal;
  try {
    principal = await resolve();
  } catch (fault) {
    if (fault instanceof TollgateError && fault.status === 401) rates.admitStranger(request, peer);
    throw fault;
  }
  rates.admitActor(principal.actor);
  return { ...principal, origin: { ip: rates.addressOf(request, peer), client: clientOf(request) } };
}

/** The kind of program, by its User-Agent. */
function clientOf(request: Request): RequestOrigin["client"] {
  const agent = request.headers.get("user-agent");
  if (agent === null) return null;
  if (/^mozilla\//i.test(agent)) return "browser";
  return /^(curl|wget|httpie)\b/i.test(agent) ? "command_line" : "program";
}

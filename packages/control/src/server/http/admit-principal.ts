import { TollgateError } from "@tollgate/core/errors";
import { clientKind } from "../../kernel/client-kind.ts";
import type { Principal } from "../../kernel/context.ts";
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
  const client = clientKind(request.headers.get("user-agent"));
  return { ...principal, origin: { ip: rates.addressOf(request, peer), client } };
}

import { TollgateError } from "@tollgate/core/errors";
import type { Principal } from "../kernel/context.ts";
import type { RequestRates } from "./request-rates.ts";

/** Who asks, within their rate. Whoever is nobody is counted by address, so that keys cannot be tried at will. */
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
  return principal;
}

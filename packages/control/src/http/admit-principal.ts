import { TollgateError } from "@tollgate/core/errors";
import type { Caller } from "../kernel/context.ts";
import type { RequestRates } from "./request-rates.ts";

/** Who asks, within their rate. Whoever is nobody is counted by address, so that keys cannot be tried at will. */
export async function admitCaller(
  rates: RequestRates,
  request: Request,
  peer: string | null,
  resolve: () => Promise<Caller>,
): Promise<Caller> {
  let caller: Caller;
  try {
    caller = await resolve();
  } catch (fault) {
    if (fault instanceof TollgateError && fault.status === 401) rates.admitStranger(request, peer);
    throw fault;
  }
  rates.admitActor(caller.actor);
  return caller;
}

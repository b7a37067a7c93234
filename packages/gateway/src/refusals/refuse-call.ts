import { DEFAULT_AGENT } from "@tollgate/core/agents/default-agent";
import { isCallerId } from "@tollgate/core/wire/caller-id";
import { asTollgateError } from "../answer/error-response.ts";
import { limitHeadersOf } from "../answer/limit-headers.ts";
import type { Gateway } from "../gateway.ts";
import { findCaller } from "../request/authenticate.ts";
import { decodeHeaderText } from "../request/decode-header-text.ts";
import { reject } from "./reject.ts";

/** Refuses a call, which is recorded for its organization; without a valid key there is none. */
export function refuseCall(fault: unknown, request: Request, gateway: Gateway): Promise<Response> {
  const error = asTollgateError(fault, gateway);
  const caller = findCaller(request.headers, gateway);
  // Nobody was refused if the client left first.
  if (caller !== null && error.code !== "client_left") {
    gateway.refusals.note(caller, agentOf(request.headers), error);
  }
  return reject(error, request, gateway, limitHeadersOf(caller, gateway));
}

/** null: the header is not valid, and may be the reason. */
function agentOf(headers: Headers): string | null {
  const value = headers.get("x-agent-id");
  if (value === null) return DEFAULT_AGENT;
  const id = decodeHeaderText(value);
  return isCallerId(id) ? id : null;
}

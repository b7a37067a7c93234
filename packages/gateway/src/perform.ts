import { addSettled, answerHeaders } from "./answer/answer-headers.ts";
import { asTollgateError, errorResponse } from "./answer/error-response.ts";
import type { Attempt } from "./call/admitted-call.ts";
import { brokenOff } from "./call/call-result.ts";
import type { Gateway } from "./gateway.ts";
import { relay } from "./stages/relay.ts";
import { send } from "./stages/send.ts";

/** Sends an admitted call, and returns its response. */
export async function perform(attempt: Attempt, request: Request, gateway: Gateway): Promise<Response> {
  try {
    if (attempt.call.summary.stream) abortWithClient(attempt, request);
    const upstream = await send(attempt, gateway);
    attempt.answered(upstream.status);
    return await relay(attempt, upstream, request);
  } catch (fault) {
    return await settleFault(attempt, fault, gateway);
  }
}

/** An admitted call always settles. */
async function settleFault(attempt: Attempt, fault: unknown, gateway: Gateway): Promise<Response> {
  const error = asTollgateError(fault, gateway);
  const event = await attempt.settle(brokenOff(attempt, attempt.httpStatus, error));
  attempt.abortUpstream();
  const headers = answerHeaders(attempt.call, "application/json");
  addSettled(headers, attempt.call, event);
  return errorResponse(error, gateway, headers);
}

function abortWithClient(attempt: Attempt, request: Request): void {
  // The client may have left while its call waited for admission; then nothing is sent, even in drain mode.
  if (request.signal.aborted) attempt.breakOff("client_left");
  request.signal.addEventListener("abort", () => attempt.clientLeft(), { once: true });
}

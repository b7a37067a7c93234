import { addSettled, answerHeaders } from "./answer/answer-headers.ts";
import { asTollgateError, errorResponse } from "./answer/error-response.ts";
import type { AdmittedCall } from "./call/admitted-call.ts";
import { brokenOffResult } from "./call/call-result.ts";
import type { Gateway } from "./gateway.ts";
import { relay } from "./stages/relay.ts";
import { send } from "./stages/send.ts";

/** Sends an admitted call, and returns its response. */
export async function perform(admitted: AdmittedCall, request: Request, gateway: Gateway): Promise<Response> {
  try {
    if (admitted.call.summary.stream) abortWithClient(admitted, request);
    const upstream = await send(admitted, gateway);
    admitted.answered(upstream.status);
    return await relay(admitted, upstream, request);
  } catch (fault) {
    return await settleFault(admitted, fault, gateway);
  }
}

/** An admitted call always settles. */
async function settleFault(admitted: AdmittedCall, fault: unknown, gateway: Gateway): Promise<Response> {
  const error = asTollgateError(fault, gateway);
  const event = await admitted.settle(brokenOffResult(admitted, admitted.httpStatus, error));
  admitted.abortUpstream();
  const headers = answerHeaders(admitted.call, "application/json");
  addSettled(headers, admitted.call, event);
  return errorResponse(error, gateway, headers);
}

function abortWithClient(admitted: AdmittedCall, request: Request): void {
  // The client may have left while its call waited for admission; then nothing is sent, even in drain mode.
  if (request.signal.aborted) admitted.breakOff("client_left");
  request.signal.addEventListener("abort", () => admitted.clientLeft(), { once: true });
}

import { answerUnread } from "@tollgate/core/wire/request-bodies";
import { asTollgateError, errorResponse } from "../answer/error-response.ts";
import type { Gateway } from "../gateway.ts";

/** A call that the gateway itself refuses is counted, but has no event. */
export function reject(
  fault: unknown,
  request: Request,
  gateway: Gateway,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const error = asTollgateError(fault, gateway);
  gateway.metrics.rejected(error.status, error.code);
  return answerUnread(request, errorResponse(error, gateway, headers));
}

import { answerUnread } from "@tollgate/core/wire/request-bodies";
import { asTollgateError, errorResponse } from "../answer/error-response.ts";
import type { Gateway } from "../gateway.ts";

/** Answers a request that the gateway refuses, and counts it. */
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

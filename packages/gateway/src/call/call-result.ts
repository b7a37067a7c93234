import type { TollgateError } from "@tollgate/core/errors";
import { inputTokens, outputTokens, type Usage } from "@tollgate/core/money/usage";
import type { CanonicalError } from "@tollgate/providers/canonical/answer";
import type { RefusalBill } from "@tollgate/providers/provider";
import { plausibleReading } from "../pricing/plausible-reading.ts";
import type { Ending } from "../pricing/price-reading.ts";
import type { AdmittedCall, CallResult } from "./admitted-call.ts";

/** The provider answered completely. If the client has left by then, the call counts as cancelled. */
export function completed(admitted: AdmittedCall, httpStatus: number): CallResult {
  return {
    status: admitted.brokenOff === "client_left" ? "cancelled" : "success",
    httpStatus,
    errorCode: null,
    ending: "completed",
  };
}

/** The answer never arrived, or is incomplete. */
export function brokenOffResult(
  admitted: AdmittedCall,
  httpStatus: number | null,
  error: TollgateError,
): CallResult {
  const ending = endingOf(admitted, httpStatus);
  switch (admitted.brokenOff) {
    case "timeout":
    case "interrupted":
      return { status: admitted.brokenOff, httpStatus, errorCode: error.code, ending };
    case "client_left":
      return { status: "cancelled", httpStatus, errorCode: null, ending };
    case null:
      return { status: "error", httpStatus, errorCode: error.code, ending };
  }
}

/** Any status other than success is a refusal, even if its body was cut off. */
function endingOf(admitted: AdmittedCall, httpStatus: number | null): Ending {
  if (!admitted.wasSent) return "unsent";
  return httpStatus === null || (httpStatus >= 200 && httpStatus < 300) ? "cut" : "refused";
}

const endingOfRefusal = { prompt: "declined", fee: "fined" } as const;

/** The provider itself reported the failure. `billed`: null if it bills nothing for that. */
export function rejectedByProvider(
  httpStatus: number,
  error: CanonicalError,
  billed: RefusalBill | null,
): CallResult {
  const ending = billed === null ? "refused" : endingOfRefusal[billed];
  return { status: "error", httpStatus, errorCode: codeOf(error), ending };
}

/**
 * The provider reported a failure after it had accepted the call. It has worked on it, perhaps unseen, unless it says
 * at once that it will not: a limit, an overload, an invalid request.
 */
export function failedInStream(
  admitted: AdmittedCall,
  httpStatus: number,
  error: CanonicalError,
): CallResult {
  const { outputBytes, partial, servedModel } = plausibleReading(admitted.meter);
  // What every answer of a model costs, such as a search, is part of the reading before there is an answer.
  const isReported = partial !== undefined && (servedModel !== null || hasTokens(partial));
  const hasBegun = outputBytes > 0 || isReported;
  const isRejection = error.status < 500 || error.status === 503 || error.status === 529;
  const ending = isRejection && !hasBegun ? "refused" : "cut";
  return { status: "error", httpStatus, errorCode: codeOf(error), ending };
}

const hasTokens = (usage: Usage) => inputTokens(usage) + outputTokens(usage) > 0;

function codeOf(error: CanonicalError): string {
  return error.code ?? error.type ?? `http_${error.status}`;
}

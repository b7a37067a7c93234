import type { TollgateError } from "@tollgate/core/errors";
import type { CanonicalError } from "@tollgate/providers/canonical/answer";
import type { Attempt, Outcome } from "../attempt.ts";

/** The provider answered, all of it. If the client left meanwhile, that is what happened to the call. */
export function completed(attempt: Attempt, httpStatus: number): Outcome {
  return {
    status: attempt.brokenOff === "client_left" ? "cancelled" : "success",
    httpStatus,
    errorCode: null,
    ending: "completed",
  };
}

/** The answer never came, or not to its end. */
export function brokenOff(attempt: Attempt, httpStatus: number | null, error: TollgateError): Outcome {
  switch (attempt.brokenOff) {
    case "timeout":
      return { status: "timeout", httpStatus, errorCode: error.code, ending: "broken" };
    case "client_left":
      return { status: "cancelled", httpStatus, errorCode: null, ending: "broken" };
    case "interrupted":
      return { status: "interrupted", httpStatus, errorCode: error.code, ending: "interrupted" };
    case null:
      return { status: "error", httpStatus, errorCode: error.code, ending: "broken" };
  }
}

/** The provider said itself that it failed. */
export function refused(httpStatus: number, error: CanonicalError): Outcome {
  const errorCode = error.code ?? error.type ?? `http_${error.status}`;
  return { status: "error", httpStatus, errorCode, ending: "refused" };
}

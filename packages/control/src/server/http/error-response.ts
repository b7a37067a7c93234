import { errorKinds, fail, TollgateError } from "@tollgate/core/errors";
import { describeFault, type Log } from "@tollgate/core/log";
import { DatabaseUnavailable } from "@tollgate/storage/engine/database-unavailable";
import { isDiskFullFault } from "@tollgate/storage/engine/disk-full-fault";
import { isReadOnlyFault } from "@tollgate/storage/engine/read-only-fault";

/** The only place that turns an error into a response. An unexpected fault is a 500 that reveals nothing. */
export function errorResponse(fault: unknown, log: Log): Response {
  const error = publicError(fault, log);
  return Response.json(error.body, {
    status: error.status,
    headers: { ...error.headers, ...(errorKinds[error.code].retry ? {} : { "x-should-retry": "false" }) },
  });
}

/** What a client may see of a fault. */
export function publicError(fault: unknown, log: Log): TollgateError {
  return fault instanceof TollgateError ? fault : unforeseen(fault, log);
}

function unforeseen(fault: unknown, log: Log): TollgateError {
  // Already logged by the follower, which notices first; a line per request would add nothing.
  if (fault instanceof DatabaseUnavailable) {
    return fail("storage_unavailable", "the database cannot be reached", {}, { "retry-after": "5" });
  }
  const sentence = whyNotWritten(fault);
  if (sentence !== null) {
    // Without the source position: every refused change then logs the same line, which appears once a minute.
    const { fault: name } = describeFault(fault);
    log("error", `${sentence}; changes are refused`, { fault: name });
    return fail("storage_unavailable", sentence, {}, { "retry-after": "5" });
  }
  log("error", "unexpected fault", describeFault(fault));
  return fail("internal", "internal error of the control plane");
}

function whyNotWritten(fault: unknown): string | null {
  if (isDiskFullFault(fault)) return "the database cannot be written: the disk is full";
  if (isReadOnlyFault(fault)) return "the database cannot be written: it is read-only";
  return null;
}

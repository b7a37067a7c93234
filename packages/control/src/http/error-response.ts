import { errorKinds, fail, TollgateError } from "@tollgate/core/errors";
import { describeFault, type Log } from "@tollgate/core/log";
import { DatabaseAway } from "@tollgate/storage/engine/database-away";

/** The one place where an error becomes an answer. What was not foreseen is a 500 that tells nothing. */
export function errorResponse(fault: unknown, log: Log): Response {
  const error = publicError(fault, log);
  return Response.json(error.body, {
    status: error.status,
    headers: { ...error.headers, ...(errorKinds[error.code].retry ? {} : { "x-should-retry": "false" }) },
  });
}

/** What a caller may be told of a fault. */
export function publicError(fault: unknown, log: Log): TollgateError {
  return fault instanceof TollgateError ? fault : unforeseen(fault, log);
}

function unforeseen(fault: unknown, log: Log): TollgateError {
  // Said where it is noticed first, by the follower; a line for every request would say no more.
  if (fault instanceof DatabaseAway) {
    return fail("storage_unavailable", "the database cannot be reached", {}, { "retry-after": "5" });
  }
  log("error", "unexpected fault", describeFault(fault));
  return fail("internal", "internal error of the control plane");
}

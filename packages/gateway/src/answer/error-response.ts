import { errorKinds, fail, TollgateError } from "@tollgate/core/errors";
import { describeFault } from "@tollgate/core/log";
import type { Gateway } from "../gateway.ts";

/** The only place where an error becomes a response. An unexpected fault is a 500 that reveals nothing. */
export function errorResponse(
  fault: unknown,
  gateway: Pick<Gateway, "log">,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const error = asTollgateError(fault, gateway);
  return new Response(JSON.stringify(error.body), {
    status: error.status,
    headers: {
      "content-type": "application/json",
      ...headers,
      ...error.headers,
      ...(errorKinds[error.code].retry ? {} : { "x-should-retry": "false" }),
    },
  });
}

export function asTollgateError(fault: unknown, gateway: Pick<Gateway, "log">): TollgateError {
  if (fault instanceof TollgateError) return fault;
  gateway.log("error", "unexpected fault", describeFault(fault));
  return fail("internal", "internal gateway error");
}

import { fail, type TollgateError } from "@tollgate/core/errors";
import type { AdmittedCall } from "./admitted-call.ts";

/** The error for a client whose provider did not answer, or stopped in the middle. */
export function unreachable(admitted: AdmittedCall): TollgateError {
  const provider = admitted.call.provider.id;
  switch (admitted.brokenOff) {
    case "timeout":
      return fail("provider_timeout", `${provider} did not answer in time`);
    case "interrupted":
      return fail("shutting_down", "the gateway is shutting down");
    default:
      return fail("provider_unreachable", `${provider} could not be reached, or did not complete its answer`);
  }
}

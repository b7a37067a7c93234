import { fail, type TollgateError } from "@tollgate/core/errors";
import type { AdmittedCall } from "./admitted-call.ts";

/** The error for a client whose provider sent something that is not an answer in its own format. */
export function undecodable({ call }: AdmittedCall): TollgateError {
  return fail("provider_invalid_answer", `the answer of ${call.provider.id} could not be understood`);
}

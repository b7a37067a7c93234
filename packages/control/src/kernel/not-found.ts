import { fail, type TollgateError } from "@tollgate/core/errors";

/** The same answer for what does not exist and for what belongs to another organization. */
export function notFound(what: string): TollgateError {
  return fail("not_found", `There is no such ${what}`);
}

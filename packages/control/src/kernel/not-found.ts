import { fail, type TollgateError } from "@tollgate/core/errors";

/** The same response whether it does not exist or belongs to another organization. */
export function notFound(what: string): TollgateError {
  return fail("not_found", `There is no such ${what}`);
}

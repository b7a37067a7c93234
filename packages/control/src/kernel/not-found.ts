import { fail, type TollgateError } from "@tollgate/core/errors";

/** The same for what does not exist and for what is another organization's. */
export function notFound(what: string): TollgateError {
  return fail("not_found", `There is no such ${what}`);
}

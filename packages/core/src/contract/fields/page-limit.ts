import { z } from "zod";

/** The specification names no maximum: a request for more gets a full page, like a longer history. */
export function pageLimit(most: number, usual = 50, subject = "Rows of a page") {
  return z
    .int()
    .min(1)
    .overwrite(limit => Math.min(limit, most))
    .default(usual)
    .meta({ description: `${subject}; ${most} at most, a larger number counts as that` });
}

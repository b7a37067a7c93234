import { z } from "zod";

/** Rows of a page. The specification names no maximum: who asks for more gets a full page, like a longer history. */
export function pageLimit(most: number) {
  return z
    .int()
    .min(1)
    .overwrite(limit => Math.min(limit, most))
    .default(50)
    .meta({ description: `Rows of a page; ${most} at most, a larger number counts as that` });
}

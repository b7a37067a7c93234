import { z } from "zod";
import { cursorInput } from "./cursor.ts";
import { pageLimit } from "./page-limit.ts";

/** A page of a list that people make by hand: most are shown whole. */
export const pageQuery = z.strictObject({
  limit: pageLimit(500, 200),
  cursor: cursorInput.optional(),
});

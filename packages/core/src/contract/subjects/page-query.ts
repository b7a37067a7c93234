import { z } from "zod";
import { sealedCursorInput } from "../fields/cursor.ts";
import { pageLimit } from "../fields/page-limit.ts";
import { windowQuery } from "../fields/window-query.ts";

/** Those that were active within the window, latest activity first. */
export const subjectPageQuery = z.strictObject({
  ...windowQuery,
  limit: pageLimit(500),
  cursor: sealedCursorInput.optional(),
});

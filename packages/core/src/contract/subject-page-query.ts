import { z } from "zod";
import { positionInput } from "./cursor.ts";
import { windowQuery } from "./window-query.ts";

/** Those that were active within the window, latest activity first. */
export const subjectPageQuery = z.strictObject({
  ...windowQuery,
  limit: z.int().min(1).max(500).default(50),
  cursor: positionInput.optional(),
});

import { z } from "zod";
import { cursorInput } from "./cursor.ts";

/** A page of a list that people make by hand: most are shown whole. */
export const pageQuery = z.strictObject({
  limit: z.int().min(1).max(500).default(200),
  cursor: cursorInput.optional(),
});

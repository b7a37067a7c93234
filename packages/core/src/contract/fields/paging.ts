import { z } from "zod";

/**
 * Where a list continues: time and key of the last row seen. For callers it is an opaque string. It is not sealed,
 * because it reveals only what that row showed, and gives no access: it is only compared with rows of the caller's
 * organization. Cursors that are installation-wide numbers are sealed (`sealedCursorInput`).
 */
export interface Cursor {
  readonly at: number;
  readonly key: string;
}

export function encodeCursor({ at, key }: Cursor): string {
  return btoa(`${at}.${key}`).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function decodeCursor(text: string): Cursor | null {
  if (!/^[\w-]{1,200}$/.test(text)) return null;
  let plain: string;
  try {
    plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return null;
  }
  const match = /^(\d{1,15})\.([\w-]{1,64})$/.exec(plain);
  return match === null ? null : { at: Number(match[1]), key: match[2] ?? "" };
}

export const NOT_OUR_CURSOR = "must be the next_cursor of an earlier answer";

/** Of a list that is ordered by time and a text id. */
export const cursorInput = z
  .string()
  .refine(text => decodeCursor(text) !== null, NOT_OUR_CURSOR)
  .transform(text => decodeCursor(text) ?? { at: 0, key: "" })
  .meta({ description: "`next_cursor` of the previous page" });

/** For a list whose cursors are installation-wide numbers: its handler seals and opens them. */
export const sealedCursorInput = z
  .string()
  .min(1)
  .max(100)
  .meta({ description: "`next_cursor` of the previous page" });

export const nextCursor = z
  .string()
  .nullable()
  .meta({ description: "Send it as `cursor` for the next page; null: this was the last page" });

/** The specification names no maximum: a request for more gets a full page, like a longer history. */
export function pageLimit(most: number, usual = 50, subject = "Rows of a page") {
  return z
    .int()
    .min(1)
    .overwrite(limit => Math.min(limit, most))
    .default(usual)
    .meta({ description: `${subject}; at most ${most}, larger numbers are reduced to that` });
}

/** A page of a list that people make by hand: most are shown whole. */
export const pageQuery = z.strictObject({
  limit: pageLimit(500, 200),
  cursor: cursorInput.optional(),
});

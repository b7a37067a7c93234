import { type Cursor, encodeCursor } from "@tollgate/core/contract/fields/paging";
import { type RawBuilder, sql } from "kysely";

interface Timed {
  readonly id: string;
  readonly created_at: number;
}

/** A page of rows ordered by time. One extra row was read, which shows whether there is another page. */
export function pageByTime<Row extends Timed>(
  rows: readonly Row[],
  limit: number,
): { readonly shown: readonly Row[]; readonly next_cursor: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    shown,
    next_cursor:
      rows.length > limit && last !== undefined ? encodeCursor({ at: last.created_at, key: last.id }) : null,
  };
}

/** Where a list that is ordered by `created_at` and `id`, newest first, continues. */
export function olderThan({ at, key }: Cursor): RawBuilder<boolean> {
  return sql`(created_at, id) < (${at}, ${key})`;
}

/** Where such a list, oldest first, continues. */
export function newerThan({ at, key }: Cursor): RawBuilder<boolean> {
  return sql`(created_at, id) > (${at}, ${key})`;
}

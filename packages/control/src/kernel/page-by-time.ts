import { encodeCursor } from "@tollgate/core/contract/fields/paging";

interface Timed {
  readonly id: string;
  readonly created_at: number;
}

/** A page of rows ordered by time. One extra row was read: it tells whether there is another page. */
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

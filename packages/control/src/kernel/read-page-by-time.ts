import { type Cursor, encodeCursor } from "@tollgate/core/contract/fields/paging";
import { type SelectQueryBuilder, sql } from "kysely";

interface Timed {
  readonly id: string;
  readonly created_at: number;
}

interface AskedPage {
  readonly limit: number;
  /** Absent: the first page. */
  readonly cursor?: Cursor | undefined;
}

interface TimedPage<Row> {
  readonly shown: readonly Row[];
  readonly next_cursor: string | null;
}

/** A page of a list that is ordered by `created_at` and `id`. */
export async function readPageByTime<Schema, Table extends keyof Schema, Row extends Timed>(
  query: SelectQueryBuilder<Schema, Table, Row>,
  { limit, cursor }: AskedPage,
  order: "newest first" | "oldest first" = "newest first",
): Promise<TimedPage<Row>> {
  const [direction, isAfter] =
    order === "newest first" ? (["desc", sql`<`] as const) : (["asc", sql`>`] as const);
  const rest =
    cursor === undefined
      ? query
      : query.where(sql<boolean>`(created_at, id) ${isAfter} (${cursor.at}, ${cursor.key})`);
  const rows: readonly Row[] = await rest
    .orderBy(sql.ref("created_at"), direction)
    .orderBy(sql.ref("id"), direction)
    // One more, which shows whether there is another page.
    .limit(limit + 1)
    .execute();
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const isMore = rows.length > limit && last !== undefined;
  return { shown, next_cursor: isMore ? encodeCursor({ at: last.created_at, key: last.id }) : null };
}

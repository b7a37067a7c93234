import type { ControlDb } from "@tollgate/storage/database/schema";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Scope } from "@tollgate/storage/ledger/scope";

/** Ids of the items of the decision queue that are put off at this time. */
export async function snoozedItems(db: ControlDb, scope: Scope, now: number): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom("queue_marks")
    .select("item_id")
    .where(inScope(scope))
    .where("snoozed_until", ">", now)
    .execute();
  return new Set(rows.map(({ item_id }) => item_id));
}

/** A proposal is put off by its own item of the queue, or by that of the verdict that it follows from. */
export function isSnoozed(
  { id, source, source_id }: { readonly id: string; readonly source: string; readonly source_id: string },
  items: ReadonlySet<string>,
): boolean {
  return items.has(`proposal_${id}`) || (source === "verdict" && items.has(`verdict_${source_id}`));
}

import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import { readHistory } from "@tollgate/storage/database/history";
import type { Context } from "./context.ts";

/** For `history_begins_at`; null: retention has removed nothing. */
export async function historyBeginsAt({ db }: Context): Promise<string | null> {
  const { beginsAtMs } = await readHistory(db);
  return beginsAtMs === 0 ? null : toIsoTime(beginsAtMs);
}

import type { ControlDatabase } from "../../database/open-control-database.ts";
import { nextTurn } from "../../engine/next-turn.ts";
import { StoredCursor } from "../../following/stored-cursor.ts";
import { LEDGER_START } from "../../ledger/ledger-position.ts";
import { type ListingOptions, listFacts } from "./list-facts.ts";
import { EVENTS_CURSOR } from "./read-model-repair.ts";

/**
 * After an upgrade from a version without lists, before requests are served: a search reads every fact that is not listed,
 * and in SQLite it does so on the thread that serves all requests. On PostgreSQL the follower lists them later, because there
 * only that search is slow.
 */
export async function listOlderFacts(
  database: ControlDatabase,
  onProgress: (listedSeq: number, derivedSeq: number) => void,
  listing?: ListingOptions,
): Promise<void> {
  if (database.engine !== "sqlite") return;
  const cursor = new StoredCursor(database, EVENTS_CURSOR, async () => LEDGER_START);
  for (;;) {
    const listed = await cursor.hold((transaction, { seq }) =>
      listFacts(transaction, database.engine, seq, listing),
    );
    if (listed === null || listed.nextEndSeq > listed.derivedSeq) return;
    onProgress(listed.listedSeq, listed.derivedSeq);
    await nextTurn();
  }
}

import type { Event } from "@tollgate/core/event";
import type { ControlDb } from "../../database/schema.ts";
import type { LedgerReader } from "../../ledger/ledger-reader.ts";
import { storableName } from "../../ledger/storable-name.ts";

/** Across organizations: only for the operator, never for a client. */
export async function findIngestedEvents(
  db: ControlDb,
  ledger: LedgerReader,
  externalId: string,
): Promise<Event[]> {
  const rows = await db
    .selectFrom("external_ids")
    .select("seq")
    .where("external_id", "=", storableName(externalId))
    .execute();
  return ledger.bySeqs(rows.map(({ seq }) => seq)).map(({ event }) => event);
}

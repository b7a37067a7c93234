import {
  type BookedAdjustment,
  type CostExplanation,
  explainCost,
} from "@tollgate/core/contract/explain-cost";
import type { Event } from "@tollgate/core/event";
import { decodeRateCard, type RateCard } from "@tollgate/core/pricing/rates";
import type { ControlDb, StoredRow } from "../../database/schema.ts";
import type { LedgerReader } from "../../ledger/ledger-reader.ts";
import { rateCardFinder } from "../../ledger/rate-card-finder.ts";

/** Uses the rates stored in the ledger and the reratings recorded beside it. */
export async function explainEvent(
  db: ControlDb,
  ledger: LedgerReader,
  event: Event,
): Promise<CostExplanation> {
  const adjustments = await db
    .selectFrom("adjustments")
    .selectAll()
    .where("event_id", "=", event.id)
    .orderBy("id")
    .execute();
  return explainCost(
    event,
    rateCardFinder(ledger),
    adjustments.map(row => toBooked(row, event)),
  );
}

function toBooked(row: StoredRow<"adjustments">, event: Event): BookedAdjustment {
  return {
    amountMicrocents: row.amount_microcents,
    createdAtMs: row.created_at,
    priceVersion: row.price_version,
    cards: cardsOf(row, event),
  };
}

/** null: not all were recorded, or one was written by a version with other kinds of usage. */
function cardsOf({ card, additional_cards }: StoredRow<"adjustments">, event: Event): RateCard[] | null {
  if (event.additional_usage !== null && additional_cards === null) return null;
  // `prices rerate` wrote this column.
  const others = additional_cards === null ? [] : (JSON.parse(additional_cards) as string[]);
  try {
    return [card, ...others].map(decodeRateCard);
  } catch {
    return null;
  }
}

import { decodeRateCard, type RateCard } from "@tollgate/core/pricing/rates";
import type { LedgerReader } from "./ledger-reader.ts";

/** Finds the ledger's rate cards by version. They are few and never change, so each is decoded once. */
export function rateCardFinder(ledger: Pick<LedgerReader, "rateCard">): (version: string) => RateCard | null {
  const cards = new Map<string, RateCard>();
  return version => {
    const known = cards.get(version);
    if (known !== undefined) return known;
    const text = ledger.rateCard(version);
    // The card of an event is in the ledger before the event; one that is missing may be restored later.
    if (text === null) return null;
    const card = decodeRateCard(text);
    cards.set(version, card);
    return card;
  };
}

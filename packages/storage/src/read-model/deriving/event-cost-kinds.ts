import type { AdditionalUsage } from "@tollgate/core/event";
import type { Usage } from "@tollgate/core/money/usage";
import { decodeRateCard, type RateCard } from "@tollgate/core/pricing/rates";
import { type CostByKind, splitCost } from "@tollgate/core/pricing/split-cost";
import type { CountedEvent } from "../../ledger/event-parts.ts";
import type { LedgerReader } from "../../ledger/ledger-reader.ts";

/** Splits costs of events by the ledger's rate cards, which are few and never change. */
export function costSplitter(ledger: LedgerReader): (event: CountedEvent, adjustment?: number) => CostByKind {
  const cards = new Map<string, RateCard | null>();
  const cardOf = (version: string): RateCard | null => {
    let card = cards.get(version);
    if (card === undefined) {
      const text = ledger.rateCard(version);
      card = text === null ? null : decodeRateCard(text);
      // The card of an event is in the ledger before the event; one that is missing may be restored later.
      if (card !== null) cards.set(version, card);
    }
    return card;
  };
  return (event, adjustment = 0) => {
    // The ledger wrote both columns.
    const usage = JSON.parse(event.usage) as Usage;
    const additional_usage =
      event.additional_usage === null ? null : (JSON.parse(event.additional_usage) as AdditionalUsage[]);
    const split = splitCost({ ...event, usage, additional_usage }, cardOf);
    return adjustment === 0 ? split : { ...split, adjustment };
  };
}

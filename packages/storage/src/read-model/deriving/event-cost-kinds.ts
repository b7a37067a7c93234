import type { AdditionalUsage } from "@tollgate/core/event";
import type { Usage } from "@tollgate/core/money/usage";
import { type CostByKind, splitCost } from "@tollgate/core/pricing/split-cost";
import type { CountedEvent } from "../../ledger/event-parts.ts";
import type { LedgerReader } from "../../ledger/ledger-reader.ts";
import { rateCardFinder } from "../../ledger/rate-card-finder.ts";

/** Splits costs of events by the ledger's rate cards. */
export function costSplitter(ledger: LedgerReader): (event: CountedEvent, adjustment?: number) => CostByKind {
  const cardOf = rateCardFinder(ledger);
  return (event, adjustment = 0) => {
    // The ledger wrote both columns.
    const usage = JSON.parse(event.usage) as Usage;
    const additional_usage =
      event.additional_usage === null ? null : (JSON.parse(event.additional_usage) as AdditionalUsage[]);
    const { model, served_model, price_version, cost_microcents, cost_basis } = event;
    // Written out: a spread would copy all columns of the event.
    const priced = {
      model,
      served_model,
      usage,
      additional_usage,
      price_version,
      cost_microcents,
      cost_basis,
    };
    const split = splitCost(priced, cardOf);
    return adjustment === 0 ? split : { ...split, adjustment };
  };
}

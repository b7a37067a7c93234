import { expect, it } from "bun:test";
import { inputTokens, type Usage } from "@tollgate/core/money/usage";
import { createCatalogue } from "@tollgate/core/pricing/catalogue";
import { costOf } from "@tollgate/core/pricing/cost";
import { type ServedUnder, servedWith } from "@tollgate/core/pricing/service-conditions";
import type { ProviderId } from "@tollgate/core/provider-id";

interface CostCase {
  readonly what: string;
  readonly model: string;
  readonly at?: string;
  readonly served?: Partial<ServedUnder>;
  readonly usage: Usage;
  readonly microcents: number;
}

const catalogue = createCatalogue();

/**
 * Costs computed by hand from the providers' published prices. $1 per million tokens is 10 microcents per token, $1 per
 * thousand searches is 10,000 microcents per search. The arithmetic is next to each case; nothing comes from the code
 * under test.
 */
export function checkCosts(provider: ProviderId, cases: readonly CostCase[]): void {
  for (const { what, model, at = "2026-11-01", served, usage, microcents } of cases) {
    it(`${model}: ${what}`, () => {
      const stated = { serviceTier: null, speed: null, region: null, ...served };
      const shown = servedWith(provider, stated, usage);
      const on = new Date(`${at}T12:00:00Z`);
      const card = catalogue.card(provider, model, on, inputTokens(usage), shown);
      expect(card && Number(costOf(usage, card))).toBe(microcents);
    });
  }
}

import { type Catalogue, createCatalogue } from "@tollgate/core/pricing/catalogue";
import type { OrganizationPrice, PriceOverrides } from "@tollgate/core/pricing/overrides";

/** The catalogue of each organization: the common one, unless it has set prices for itself. */
export class OrganizationPrices {
  readonly #own = new WeakMap<readonly OrganizationPrice[], Catalogue>();

  constructor(
    private readonly common: Catalogue,
    /** The operator's file. */
    private readonly overrides: PriceOverrides | null,
    private readonly source: { pricesOf(orgId: string): readonly OrganizationPrice[] },
  ) {}

  of(orgId: string): Catalogue {
    const prices = this.source.pricesOf(orgId);
    if (prices.length === 0) return this.common;
    let catalogue = this.#own.get(prices);
    if (catalogue === undefined) {
      const { overrides } = this;
      catalogue = createCatalogue({ ofOrganization: prices, ...(overrides === null ? {} : { overrides }) });
      this.#own.set(prices, catalogue);
    }
    return catalogue;
  }
}

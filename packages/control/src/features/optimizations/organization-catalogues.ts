import type { Catalogue } from "@tollgate/core/pricing/catalogue";
import type { ControlDb } from "@tollgate/storage/database/schema";
import type { Control } from "../../kernel/context.ts";

/**
 * The catalogue of each organization with optimizations: the gateway priced the actual call with the organization's own
 * prices, so the requested model is priced with them too.
 */
export class OrganizationCatalogues {
  /** Compiling prices takes longer than reading them. */
  #compiled = new Map<string, { readonly of: string; readonly catalogue: Catalogue }>();

  constructor(private readonly prices: Pick<Control, "catalogue" | "catalogueWith">) {}

  async read(db: ControlDb): Promise<(orgId: string) => Catalogue> {
    const rows = await db
      .selectFrom("price_overrides")
      .select(["org_id", "provider", "model", "prices", "effective_from as effectiveFromMs"])
      .where("org_id", "in", db.selectFrom("optimizations").select("org_id"))
      .orderBy("effective_from", "desc")
      .orderBy("id", "desc")
      .execute();
    const byOrganization = Map.groupBy(rows, ({ org_id }) => org_id);
    this.#compiled = new Map(
      [...byOrganization].map(([orgId, own]) => {
        const of = JSON.stringify(own);
        const known = this.#compiled.get(orgId);
        return [orgId, known?.of === of ? known : { of, catalogue: this.prices.catalogueWith(own) }];
      }),
    );
    return orgId => this.#compiled.get(orgId)?.catalogue ?? this.prices.catalogue;
  }
}

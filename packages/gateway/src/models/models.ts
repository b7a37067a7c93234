import { centsPerMillion } from "@tollgate/core/money/money";
import type { Catalogue, CatalogueModel } from "@tollgate/core/pricing/catalogue";

/** `GET /v1/models`: what can be called, and for how much. */
export function listModels(catalogue: Catalogue, at: Date): { object: "list"; data: unknown[] } {
  return { object: "list", data: catalogue.models(at).map(toWireModel) };
}

export function toWireModel(model: CatalogueModel) {
  return {
    id: model.id,
    object: "model",
    created: model.created,
    owned_by: model.provider,
    pricing: {
      input_per_million_cents: centsPerMillion(model.inputRate),
      output_per_million_cents: centsPerMillion(model.outputRate),
    },
  };
}

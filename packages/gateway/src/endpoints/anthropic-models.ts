import { fail } from "@tollgate/core/errors";
import type { Catalogue, CatalogueModel } from "@tollgate/core/pricing/catalogue";

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1000;

/** Only Anthropic's API requires this header, and all of its clients send it. */
export function isAnthropicClient(headers: Headers): boolean {
  return headers.has("anthropic-version");
}

/** `GET /v1/models` in Anthropic's format: newest first, undated models last, paged by id. */
export function pageOfModels(catalogue: Catalogue, at: Date, query: URLSearchParams) {
  const models = catalogue.models(at).sort(byReleaseThenId);
  const limit = limitOf(query.get("limit"));
  const before = placeOf(models, query, "before_id");
  const after = placeOf(models, query, "after_id");
  const from = before === null ? (after === null ? 0 : after + 1) : Math.max(0, before - limit);
  const to = before ?? Math.min(from + limit, models.length);
  const page = models.slice(from, to);
  return {
    data: page.map(toAnthropicModel),
    has_more: before === null ? to < models.length : from > 0,
    first_id: page.at(0)?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  };
}

export function toAnthropicModel(model: CatalogueModel) {
  return {
    type: "model",
    id: model.id,
    display_name: model.id,
    created_at: new Date(model.created * 1000).toISOString(),
  };
}

function byReleaseThenId(a: CatalogueModel, b: CatalogueModel): number {
  const [releasedA, releasedB] = [a.releasedOn ?? "", b.releasedOn ?? ""];
  if (releasedA !== releasedB) return releasedA > releasedB ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

function limitOf(asked: string | null): number {
  if (asked === null) return DEFAULT_LIMIT;
  const limit = Number(asked);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw fail("invalid_request", `limit must be a whole number from 1 to ${MAX_LIMIT}`);
  }
  return limit;
}

function placeOf(models: readonly CatalogueModel[], query: URLSearchParams, name: string): number | null {
  const id = query.get(name);
  if (id === null) return null;
  const place = models.findIndex(model => model.id === id);
  if (place === -1) throw fail("invalid_request", `${name} is not a known model`);
  return place;
}

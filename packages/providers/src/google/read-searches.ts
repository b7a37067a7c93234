import { jsonObjectOf } from "@tollgate/core/wire/json-fields";
import { modelFamily } from "./model-traits.ts";

/** The queries of a grounded answer; empty ones are not billed, so they are omitted. */
export function readSearches(body: unknown): number {
  const candidates = jsonObjectOf(body)?.candidates;
  const candidate = Array.isArray(candidates) ? jsonObjectOf(candidates[0]) : undefined;
  const queries = jsonObjectOf(candidate?.groundingMetadata)?.webSearchQueries;
  return Array.isArray(queries)
    ? queries.filter(query => typeof query === "string" && query !== "").length
    : 0;
}

/** Up to 2.x a grounded prompt is billed once, however many queries it took; from 3 on every query is billed. */
export function billedSearches(queries: number, servedModel: string | null): number {
  const release = servedModel === null ? 0 : modelFamily(servedModel).release;
  const billsPerPrompt = release > 0 && release < 300;
  return billsPerPrompt ? Math.min(queries, 1) : queries;
}

import { type JsonObject, jsonObjectOf, listOf } from "@tollgate/core/wire/json-fields";
import { modelFamily } from "./model-traits.ts";

interface GroundingBill {
  readonly searches: number;
  /** Set if it was Google Maps, which has its own price for the models that are billed per prompt. */
  readonly tool: "google_maps" | null;
  /** How many searches are billed, or at which price, is a guess. */
  readonly isUncertain: boolean;
}

const notGrounded: GroundingBill = { searches: 0, tool: null, isUncertain: false };

/**
 * What Google bills an answer for besides its tokens: up to Gemini 2.x a grounded prompt, once; from 3 on every unique
 * query. Frames of a stream may repeat or continue each other's lists.
 */
export class Grounding {
  readonly #queries = new Set<string>();
  /** Apart from the others: no price is published for them. */
  readonly #imageQueries = new Set<string>();
  #citesWeb = false;
  #citesMaps = false;
  #readsPages = false;

  read(body: unknown): void {
    const candidate = jsonObjectOf(listOf(jsonObjectOf(body)?.candidates)?.[0]);
    this.#readsPages ||= jsonObjectOf(candidate?.urlContextMetadata) !== undefined;
    const metadata = jsonObjectOf(candidate?.groundingMetadata);
    if (metadata === undefined) return;
    addQueries(this.#queries, metadata.webSearchQueries);
    addQueries(this.#imageQueries, metadata.imageSearchQueries);
    for (const chunk of listOf(metadata.groundingChunks) ?? []) this.#readSource(jsonObjectOf(chunk));
  }

  bill(model: string | null): GroundingBill {
    // Pages that the request names are cited like search results, but only their tokens are billed.
    const citesSearch = this.#citesWeb && !this.#readsPages;
    const queries = this.#queries.size + this.#imageQueries.size;
    if (queries === 0 && !citesSearch && !this.#citesMaps) return notGrounded;
    const hasImages = this.#imageQueries.size > 0;
    if (!isBilledPerPrompt(model))
      return { searches: Math.max(queries, 1), tool: null, isUncertain: hasImages || queries === 0 };
    // Maps lists its queries under the same name as the web, so only its sources tell them apart.
    if (!this.#citesMaps) return { searches: 1, tool: null, isUncertain: hasImages };
    if (!citesSearch) return { searches: 1, tool: "google_maps", isUncertain: hasImages };
    // Each is billed, but one rate card has one price for both.
    return { searches: 2, tool: null, isUncertain: true };
  }

  #readSource(chunk: JsonObject | undefined): void {
    this.#citesWeb ||= jsonObjectOf(chunk?.web) !== undefined;
    this.#citesMaps ||= jsonObjectOf(chunk?.maps) !== undefined;
  }
}

/** Empty ones are not billed. */
function addQueries(queries: Set<string>, listed: unknown): void {
  for (const query of listOf(listed) ?? []) if (typeof query === "string" && query !== "") queries.add(query);
}

/** A name without a version is taken for a current model. */
function isBilledPerPrompt(model: string | null): boolean {
  const release = model === null ? 0 : modelFamily(model).release;
  return release > 0 && release < 300;
}

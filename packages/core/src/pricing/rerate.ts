import type { Event } from "../event.ts";
import { inputTokens, type Usage } from "../money/usage.ts";
import { isProviderId } from "../provider-id.ts";
import type { Catalogue } from "./catalogue.ts";
import { costOfParts } from "./cost.ts";
import { unseenResultTokens } from "./estimate.ts";
import { estimateLargestPrompt } from "./largest-prompt.ts";
import { encodeRateCard, priceVersion, type RateCard } from "./rates.ts";
import { servedWith } from "./service-conditions.ts";

/** A call, and its cost at other prices. */
export interface Rerating {
  readonly event: Pick<
    Event,
    "id" | "org_id" | "created_at" | "provider" | "model" | "cost_basis" | "cost_microcents"
  >;
  /** null: it keeps its cost, or nobody knows it. */
  readonly rerated: {
    readonly costMicrocents: number;
    readonly price_version: string;
    readonly card: string;
    readonly additional_cards: string | null;
  } | null;
}

/** What a rerating adds to the cost of an event; the ledger keeps the original. */
export interface Adjustment {
  readonly event_id: string;
  readonly org_id: string;
  readonly amount_microcents: number;
  readonly price_version: string;
  readonly card: string;
  /** JSON: the cards of `additional_usage`, in its order; null if there is none. */
  readonly additional_cards: string | null;
}

/**
 * What an event would cost at the catalogue's prices of its own day. `booked` is the card that the event was priced with.
 * An event records its service tier but not its speed or region: a fast call would be rerated as an ordinary one, so an
 * event whose conditions differ is left unchanged. It does not record the length of each model iteration either: an event
 * booked below the long-context threshold stays below it.
 */
export function rerate(event: Event, booked: RateCard | null, catalogue: Catalogue): Rerating {
  const { id, org_id, created_at, provider, model, cost_basis, cost_microcents } = event;
  return {
    event: { id, org_id, created_at, provider, model, cost_basis, cost_microcents },
    rerated: costAt(event, booked, catalogue),
  };
}

/**
 * What is left to book; null: nothing. `adjustedMicrocents` is the sum of earlier adjustments (undefined: there are none),
 * so a second run finds nothing to do.
 */
export function adjustmentOf(
  { event, rerated }: Rerating,
  adjustedMicrocents: number | undefined,
): Adjustment | null {
  if (rerated === null) return null;
  const { costMicrocents, ...cards } = rerated;
  const amount = costMicrocents - event.cost_microcents - (adjustedMicrocents ?? 0);
  // 0 is a price: once booked, the event is priced.
  const becomesPriced = event.cost_basis === "unpriced" && adjustedMicrocents === undefined;
  if (amount === 0 && !becomesPriced) return null;
  return { event_id: event.id, org_id: event.org_id, amount_microcents: amount, ...cards };
}

function costAt(event: Event, booked: RateCard | null, catalogue: Catalogue): Rerating["rerated"] {
  // A cost reported by the provider is not recomputed, and a call that used nothing costs nothing at any price.
  if (event.cost_basis === "reported" || event.usage_source === "none") return null;
  const { provider } = event;
  if (!isProviderId(provider)) return null;
  const at = new Date(event.created_at);
  const served = servedWith(
    provider,
    { serviceTier: event.service_tier, speed: null, region: null },
    event.usage,
  );
  const cardFor = (model: string, prompt: number) => catalogue.card(provider, model, at, prompt, served);
  const answering = catalogue.answeringName(provider, event.model, event.served_model, at);
  const mainFor = (prompt: number) =>
    (answering === null ? null : cardFor(answering, prompt)) ?? cardFor(event.model, prompt);
  const wasShort = booked !== null && booked.aboveInputTokens === null && mayHavePasses(event);
  const main = mainFor(wasShort ? 0 : longestPrompt(event, booked, catalogue));
  if (main === null) return null;
  if (booked !== null && booked.condition !== main.condition) return null;
  const parts: { usage: Usage; card: RateCard }[] = [{ usage: event.usage, card: main }];
  for (const other of event.additional_usage ?? []) {
    const card = cardFor(other.model, inputTokens(other.usage));
    if (card === null) return null;
    parts.push({ usage: other.usage, card });
  }
  const costMicrocents = costOfParts(parts);
  if (costMicrocents === null) return null;
  return {
    costMicrocents,
    price_version: priceVersion(main),
    card: encodeRateCard(main),
    additional_cards:
      parts.length === 1 ? null : JSON.stringify(parts.slice(1).map(({ card }) => encodeRateCard(card))),
  };
}

/** Server tools, and so several iterations, are possible only in the provider's own dialect. */
function mayHavePasses({ provider, endpoint }: Event): boolean {
  return endpoint === "/v1/responses" || (provider === "anthropic" && endpoint === "/v1/messages");
}

/** For an unpriced event, searches are the only hint of how many iterations there were. */
function longestPrompt(event: Event, booked: RateCard | null, catalogue: Catalogue): number {
  const { provider, usage } = event;
  const total = inputTokens(usage);
  if (booked !== null || !isProviderId(provider) || !mayHavePasses(event)) return total;
  const { web_searches = 0, file_searches = 0 } = usage;
  return estimateLargestPrompt({
    inputTokens: total,
    iterations: 1 + web_searches + file_searches,
    firstInput: null,
    resultTokens:
      web_searches * unseenResultTokens("web_search") + file_searches * unseenResultTokens("file_search"),
    shownTokens: null,
    contextWindow: catalogue.find(provider, event.served_model ?? event.model)?.contextWindow ?? null,
  }).tokens;
}

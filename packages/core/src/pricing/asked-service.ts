/**
 * The service that a request asks for, used for a call that was cut off before its answer reported one. Only names that
 * a request can use and that change the price: an invented name must not become a rate card.
 */
import type { ProviderId } from "../provider-id.ts";
import type { ServedUnder } from "./service-conditions.ts";

/** At Anthropic tiers have no price of their own: `priority` is capacity bought in advance. */
const tiers: { readonly [provider in ProviderId]: ReadonlySet<unknown> } = {
  openai: new Set(["flex", "priority", "fast", "ultrafast"]),
  anthropic: new Set(),
  google: new Set(["flex", "priority"]),
  xai: new Set(["priority"]),
};
/** A request translated to these providers keeps its tier. */
const translatedTiers: ReadonlySet<ProviderId> = new Set(["openai", "google"]);

/** null: it asks only for the list price. `isNative`: the provider gets the body unchanged. */
export function askedService(
  provider: ProviderId,
  body: Readonly<Record<string, unknown>>,
  isNative: boolean,
): ServedUnder | null {
  const { service_tier: tier, speed, inference_geo: region } = body;
  const isTierSent = tiers[provider].has(tier) && (isNative || translatedTiers.has(provider));
  const isAnthropics = provider === "anthropic" && isNative;
  const isFast = isAnthropics && speed === "fast";
  const isInUs = isAnthropics && region === "us";
  if (!isTierSent && !isFast && !isInUs) return null;
  return {
    serviceTier: isTierSent ? String(tier) : null,
    speed: isFast ? "fast" : null,
    region: isInUs ? "us" : null,
  };
}

/** Reported values win; the rest comes from the request. */
export function servedOrAsked(reported: ServedUnder, asked: ServedUnder | null): ServedUnder {
  if (asked === null) return reported;
  return {
    ...reported,
    serviceTier: reported.serviceTier ?? asked.serviceTier,
    speed: reported.speed ?? asked.speed,
    region: reported.region ?? asked.region,
  };
}

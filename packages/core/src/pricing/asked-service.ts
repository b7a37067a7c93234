/**
 * The service that a request asks for, used for a call that was cut before its answer reported one. Only names that
 * a request can ask for and that change its price: a client's invention must not become a rate card.
 */
import type { ProviderId } from "../provider-id.ts";
import type { ServedUnder } from "./service-conditions.ts";

/** At anthropic a tier has no price of its own: `priority` is capacity that was bought in advance. */
const tiers: { readonly [provider in ProviderId]: ReadonlySet<unknown> } = {
  openai: new Set(["flex", "priority", "fast", "ultrafast"]),
  anthropic: new Set(),
  google: new Set(["flex", "priority"]),
  xai: new Set(["priority"]),
};
/** A request that is translated to these keeps its tier. */
const translatedTiers: ReadonlySet<ProviderId> = new Set(["openai", "google"]);

/** null: it asks for nothing but the list price. `isNative`: the provider gets the body as it is. */
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

/** Reported values win; the rest is taken from the request. */
export function servedOrAsked(told: ServedUnder, asked: ServedUnder | null): ServedUnder {
  if (asked === null) return told;
  return {
    ...told,
    serviceTier: told.serviceTier ?? asked.serviceTier,
    speed: told.speed ?? asked.speed,
    region: told.region ?? asked.region,
  };
}

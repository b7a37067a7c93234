/**
 * The service that a request asks for, used for a call that was cut off before its answer reported one. Only names that
 * a request can use and that change the price: an invented name must not become a rate card.
 */
import type { ProviderId } from "../provider-id.ts";
import { billingOf } from "./billing/registry.ts";
import type { ServedUnder } from "./service-conditions.ts";

/** null: it asks only for the list price. `isNative`: the provider gets the body unchanged. */
export function askedService(
  provider: ProviderId,
  body: Readonly<Record<string, unknown>>,
  isNative: boolean,
): ServedUnder | null {
  const { service_tier: tier, speed, inference_geo: region } = body;
  const { pricedTiers, keepsTranslatedTier, pricesSpeedAndRegion } = billingOf[provider];
  const isTierSent = pricedTiers.has(tier) && (isNative || keepsTranslatedTier);
  const isFast = pricesSpeedAndRegion && isNative && speed === "fast";
  const isInUs = pricesSpeedAndRegion && isNative && region === "us";
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

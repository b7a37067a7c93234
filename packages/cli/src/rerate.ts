import type { Event } from "@tollgate/core/event";
import type { Catalogue } from "@tollgate/core/pricing/catalogue";
import { costOfParts } from "@tollgate/core/pricing/cost";
import { encodeRateCard, priceVersion, type RateCard } from "@tollgate/core/pricing/rates";
import { isProviderId } from "@tollgate/core/provider-id";
import { inputTokens, type Usage } from "@tollgate/core/usage";
import type { Adjustment } from "@tollgate/storage/control/control-store";

/**
 * What an event would cost at the catalogue's prices of its own day, against what it is booked at now. null: it
 * stays as it is. Because the comparison includes earlier adjustments, a second run finds nothing to do.
 * `bookedCondition` is that of the card the event was priced by. An event keeps its service tier, not its speed or
 * region: one that was served fast would be rerated as an ordinary one, so where the conditions differ it is left.
 */
export function rerate(
  event: Event,
  bookedMicrocents: number,
  bookedCondition: string | null,
  catalogue: Catalogue,
): Adjustment | null {
  // The provider's own bill is not ours to recompute, and a call that used nothing costs nothing at any price.
  if (event.cost_basis === "reported" || event.usage_source === "none") return null;
  const { provider } = event;
  if (!isProviderId(provider)) return null;
  const at = new Date(event.created_at);
  const served = { serviceTier: event.service_tier, speed: null, region: null };
  const cardFor = (model: string, prompt: number) => catalogue.card(provider, model, at, prompt, served);
  const mainFor = (prompt: number) =>
    (event.served_model === null ? null : cardFor(event.served_model, prompt)) ??
    cardFor(event.model, prompt);
  const short = mainFor(0);
  // Anthropic's answers may be of several passes, none of them long: what was booked as short was short.
  const wasShort = provider === "anthropic" && short !== null && priceVersion(short) === event.price_version;
  const main = wasShort ? short : mainFor(inputTokens(event.usage));
  if (main === null) return null;
  if (bookedCondition !== null && bookedCondition !== main.condition) return null;
  const parts: { usage: Usage; card: RateCard }[] = [{ usage: event.usage, card: main }];
  for (const other of event.additional_usage ?? []) {
    const card = cardFor(other.model, inputTokens(other.usage));
    if (card === null) return null;
    parts.push({ usage: other.usage, card });
  }
  const amount = costOfParts(parts) - bookedMicrocents;
  if (amount === 0) return null;
  return {
    event_id: event.id,
    org_id: event.org_id,
    amount_microcents: amount,
    price_version: priceVersion(main),
    card: encodeRateCard(main),
  };
}

import type { Event } from "../event.ts";
import type { Usage } from "../money/usage.ts";

/** One model's usage within an event. */
export interface UsagePart {
  readonly model: string;
  readonly usage: Usage;
  readonly price_version: string | null;
}

/** The model that answered first, then any other models. */
export function usageParts(
  event: Pick<Event, "model" | "served_model" | "usage" | "price_version" | "additional_usage">,
): UsagePart[] {
  const { model, served_model, usage, price_version, additional_usage } = event;
  return [{ model: served_model ?? model, usage, price_version }, ...(additional_usage ?? [])];
}

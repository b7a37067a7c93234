import type { Event } from "../event.ts";
import type { Usage } from "../money/usage.ts";

/** What one model did for an event. */
export interface UsagePart {
  readonly model: string;
  readonly usage: Usage;
  readonly price_version: string | null;
}

/** The model that answered first, then those that worked beside it. */
export function usageParts(
  event: Pick<Event, "model" | "served_model" | "usage" | "price_version" | "additional_usage">,
): UsagePart[] {
  const { model, served_model, usage, price_version, additional_usage } = event;
  return [{ model: served_model ?? model, usage, price_version }, ...(additional_usage ?? [])];
}

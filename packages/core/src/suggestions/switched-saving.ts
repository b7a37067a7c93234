import type { Event } from "../event.ts";
import type { Catalogue } from "../pricing/catalogue.ts";
import { costOf } from "../pricing/cost.ts";
import { servedWith } from "../pricing/service-conditions.ts";
import { isProviderId } from "../provider-id.ts";

type SwitchedCall = Pick<
  Event,
  | "created_at"
  | "provider"
  | "model"
  | "requested_model"
  | "input_tokens"
  | "usage"
  | "additional_usage"
  | "cost_microcents"
  | "cost_basis"
  | "service_tier"
  | "arm"
>;

type SwitchedSaving =
  | { readonly kind: "unchanged" }
  /** Microcents; negative: it cost more. */
  | { readonly kind: "saved"; readonly microcents: number }
  /** One of the two has no price. */
  | { readonly kind: "unpriced" };

/**
 * The saving of a call that was sent to another model than requested: the same tokens at the requested model's rates on
 * that day, minus the actual cost. For an experiment's treatment, the other model is due to the experiment.
 */
export function switchedSaving(event: SwitchedCall, catalogue: Catalogue): SwitchedSaving {
  if (event.arm === "treatment") return { kind: "unchanged" };
  const asked = askedModel(event);
  if (asked === event.model) return { kind: "unchanged" };
  const at = new Date(event.created_at);
  // Other models' usage within the call would have been the same; it is part of the cost but not of the usage.
  if (event.cost_basis === "unpriced" || event.additional_usage !== null) return { kind: "unpriced" };
  const provider = catalogue.providerOf(asked);
  if (provider === null) return { kind: "unpriced" };
  // Service tier names are specific to their provider.
  const serviceTier = provider === event.provider ? event.service_tier : null;
  const served = servedWith(provider, { serviceTier, speed: null, region: null }, event.usage);
  const card = catalogue.card(provider, asked, at, event.input_tokens, served);
  if (card === null) return { kind: "unpriced" };
  const askedCost = costOf(event.usage, card);
  if (askedCost === null) return { kind: "unpriced" };
  return { kind: "saved", microcents: askedCost - event.cost_microcents };
}

export function askedModel({ requested_model: name }: Pick<SwitchedCall, "requested_model">): string {
  return withoutProvider(name);
}

/** `openai/gpt-4o` → `gpt-4o`: the prefix is ours, no part of the model's name. */
export function withoutProvider(name: string): string {
  const slash = name.indexOf("/");
  return slash > 0 && isProviderId(name.slice(0, slash)) ? name.slice(slash + 1) : name;
}

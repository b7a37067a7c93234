import type { Event } from "../event.ts";
import type { Catalogue } from "../pricing/catalogue.ts";
import { costOf } from "../pricing/cost.ts";
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
 * What a call that was sent to another model than asked for has saved: the same tokens at the asked model's rates of
 * that day, less what it did cost. Of an experiment's treatment the other model is the experiment's doing.
 */
export function switchedSaving(event: SwitchedCall, catalogue: Catalogue): SwitchedSaving {
  if (event.arm === "treatment") return { kind: "unchanged" };
  const asked = askedModel(event);
  if (asked === event.model) return { kind: "unchanged" };
  const at = new Date(event.created_at);
  // Work of other models within the call would have been the same, and is in the cost, not in the usage.
  if (event.cost_basis === "unpriced" || event.additional_usage !== null) return { kind: "unpriced" };
  const provider = catalogue.providerOf(asked);
  const card =
    provider &&
    catalogue.card(provider, asked, at, event.input_tokens, {
      // Names of service tiers mean something at their own provider only.
      serviceTier: provider === event.provider ? event.service_tier : null,
      speed: null,
      region: null,
    });
  if (!card) return { kind: "unpriced" };
  return { kind: "saved", microcents: costOf(event.usage, card) - event.cost_microcents };
}

/** Without a provider's name before it, which is ours. */
function askedModel({ requested_model: name }: SwitchedCall): string {
  const slash = name.indexOf("/");
  return slash > 0 && isProviderId(name.slice(0, slash)) ? name.slice(slash + 1) : name;
}

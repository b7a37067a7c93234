import { DAY_MS } from "@tollgate/core/time/durations";
import type { Checkout } from "../../kernel/checkout.ts";

const VALID_MS = 30 * DAY_MS;

/** A page of ours with the operator's contact. The operator grants with `svc verification grant`. */
export function operatorCheckout(publicUrl: string, now: () => number): Checkout {
  return {
    provider: "operator",
    unitPriceCents: null,
    open: async ({ checkoutId }) => ({
      url: `${publicUrl}/checkout/${checkoutId}`,
      expiresAtMs: now() + VALID_MS,
    }),
  };
}

import type { Log } from "@tollgate/core/log";
import type { CheckoutDesk } from "../../kernel/checkout.ts";
import { operatorCheckout } from "./operator-checkout.ts";
import { type StripeSettings, stripeCheckout } from "./stripe-checkout.ts";

export interface CheckoutOptions {
  /** null: the operator grants manually. */
  readonly stripe: StripeSettings | null;
  readonly isOpenToStrangers: boolean;
  readonly operatorContact: string | null;
}

export const soldByOperator: CheckoutOptions = {
  stripe: null,
  isOpenToStrangers: false,
  operatorContact: null,
};

export async function createCheckoutDesk(
  { stripe, isOpenToStrangers, operatorContact }: CheckoutOptions,
  { publicUrl, now, log }: { readonly publicUrl: string; readonly now: () => number; readonly log: Log },
): Promise<CheckoutDesk> {
  const byOperator = operatorCheckout(publicUrl, now);
  const byStripe = stripe && (await stripeCheckout(stripe, now, log));
  return {
    // Test traffic is answered by the simulator, so it must not cost money.
    of: mode => (mode === "live" && byStripe) || byOperator,
    isOpenToStrangers,
    operatorContact,
    ...(byStripe ? { readNotice: byStripe.readNotice } : {}),
  };
}

import type { checkoutProviders } from "@tollgate/core/contract/checkout";
import type { Mode } from "@tollgate/core/event";

/** How verifications are paid for. There are two adapters: the operator grants them, or Stripe collects the payment. */
export interface Checkout {
  readonly provider: (typeof checkoutProviders)[number];
  /** US cents per verification; null: agreed with the operator. */
  readonly unitPriceCents: number | null;
  /** Charges nothing. Throws `checkout_unavailable`. */
  open(order: CheckoutOrder): Promise<OpenedCheckout>;
}

export interface CheckoutOrder {
  readonly checkoutId: string;
  /** Where the buyer goes after paying or cancelling. */
  readonly successUrl: string;
  readonly cancelUrl: string;
}

export interface OpenedCheckout {
  /** For a person to open. */
  readonly url: string;
  readonly expiresAtMs: number;
}

/** A payment as reported by its provider, not yet compared with the checkout. */
export interface ReportedPayment {
  readonly checkoutId: string;
  /** The same for every report of one payment. */
  readonly reference: string;
  /** Before taxes and discounts; null: not in US dollars, or not stated. */
  readonly amountCents: number | null;
}

/** How verifications are sold on this installation. */
export interface CheckoutDesk {
  of(mode: Mode): Checkout;
  /** Callers without a credential may buy, and claim what they bought later. */
  readonly isOpenToStrangers: boolean;
  /** Whom to ask for verifications: an e-mail address or a URL; null: not configured. */
  readonly operatorContact: string | null;
  /**
   * The payment that a notice of the provider reports; null: none. Throws `invalid_request` if the notice is not signed by
   * the provider. Absent: there are no notices.
   */
  readonly readNotice?: (body: Uint8Array, signature: string | null) => Promise<ReportedPayment | null>;
}

import type { checkoutProviders } from "@tollgate/core/contract/checkout";
import type { Mode } from "@tollgate/core/event";

/** How verifications are paid for. There are two adapters: the operator grants by hand, or Stripe takes the money. */
export interface Checkout {
  readonly provider: (typeof checkoutProviders)[number];
  /** US cents for one verification; null: the operator names the price. */
  readonly unitPriceCents: number | null;
  /** Charges nothing. Throws `checkout_unavailable`. */
  open(order: CheckoutOrder): Promise<OpenedCheckout>;
}

export interface CheckoutOrder {
  readonly checkoutId: string;
  /** Where the buyer goes after paying, and after not paying. */
  readonly successUrl: string;
  readonly cancelUrl: string;
}

export interface OpenedCheckout {
  /** For a person to open. */
  readonly url: string;
  readonly expiresAtMs: number;
}

/** A payment as its provider reports it: not yet compared with what the checkout asks for. */
export interface ReportedPayment {
  readonly checkoutId: string;
  /** The same for every report of one payment. */
  readonly reference: string;
  /** Before taxes and discounts; null: not in US dollars, or not stated. */
  readonly amountCents: number | null;
}

/** Where verifications are bought on this installation. */
export interface CheckoutDesk {
  of(mode: Mode): Checkout;
  /** Callers without a credential may buy, and claim what they bought later. */
  readonly isOpenToStrangers: boolean;
  /** Whom to ask for verifications: an e-mail address or a URL; null: not configured. */
  readonly operatorContact: string | null;
  /**
   * The payment that a notice of the provider tells of. null: it tells of none. Throws `invalid_request` if the notice
   * is not signed by the provider. Absent: nobody sends notices.
   */
  readonly readNotice?: (body: Uint8Array, signature: string | null) => Promise<ReportedPayment | null>;
}

import { fail } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import type Stripe from "stripe";
import type { Checkout, CheckoutDesk, CheckoutOrder, OpenedCheckout } from "../../kernel/checkout.ts";

export interface StripeSettings {
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly unitPriceCents: number;
  /** null: Stripe's own. It is set by the operator, so it may be on loopback. */
  readonly apiBase: string | null;
}

const TIMEOUT_MS = 20_000;
const TOLERANCE_SECONDS = 300;
const MAX_QUANTITY = 100;
const CURRENCY = "usd";
/** In the session's metadata: anybody who opens a payment link of the same account can set `client_reference_id`. */
const CHECKOUT_ID = "tollgate_checkout_id";

/** Sessions of Stripe Checkout, and the signed notices about their payment. */
export async function stripeCheckout(
  settings: StripeSettings,
  now: () => number,
  log: Log,
): Promise<Checkout & Required<Pick<CheckoutDesk, "readNotice">>> {
  // Loaded on demand, because most installations sell nothing.
  const { Stripe: Client } = await import("stripe");
  const stripe = new Client(settings.secretKey, {
    ...address(settings.apiBase),
    httpClient: Client.createFetchHttpClient(),
    timeout: TIMEOUT_MS,
    maxNetworkRetries: 2,
    telemetry: false,
  });

  return {
    provider: "stripe",
    unitPriceCents: settings.unitPriceCents,

    async open(order: CheckoutOrder): Promise<OpenedCheckout> {
      const session = await stripe.checkout.sessions
        .create(sessionOf(order, settings.unitPriceCents), { idempotencyKey: order.checkoutId })
        .catch((fault: unknown) => {
          log("error", "Stripe did not open a checkout", describe(fault, Client));
          throw fail("checkout_unavailable", "The payment provider did not open a checkout; try again later");
        });
      if (session.url === null) throw new Error("Stripe opened a session without a URL");
      return { url: session.url, expiresAtMs: session.expires_at * 1000 };
    },

    async readNotice(body, signature) {
      const event = await stripe.webhooks
        .constructEventAsync(
          new TextDecoder().decode(body),
          signature ?? "",
          settings.webhookSecret,
          TOLERANCE_SECONDS,
          undefined,
          now(),
        )
        .catch(() => {
          throw fail("invalid_request", "Stripe-Signature: does not match the body, or is too old");
        });
      return paymentIn(event);
    },
  };
}

function sessionOf(
  { checkoutId, successUrl, cancelUrl }: CheckoutOrder,
  unitPriceCents: number,
): Stripe.Checkout.SessionCreateParams {
  return {
    mode: "payment",
    client_reference_id: checkoutId,
    metadata: { [CHECKOUT_ID]: checkoutId },
    success_url: successUrl,
    cancel_url: cancelUrl,
    line_items: [
      {
        quantity: 1,
        // The buyer chooses the quantity.
        adjustable_quantity: { enabled: true, minimum: 1, maximum: MAX_QUANTITY },
        price_data: {
          currency: CURRENCY,
          unit_amount: unitPriceCents,
          product_data: { name: "Verification", description: "One verdict on a model switch" },
        },
      },
    ],
  };
}

/**
 * A session may be complete before its money has arrived; a second notice then reports the payment. Both name the session,
 * and they may arrive in any order.
 */
function paymentIn(event: Stripe.Event) {
  if (
    event.type !== "checkout.session.completed" &&
    event.type !== "checkout.session.async_payment_succeeded"
  ) {
    return null;
  }
  const session = event.data.object;
  const checkoutId = session.metadata?.[CHECKOUT_ID];
  // The same account may also sell other products.
  if (checkoutId === undefined || session.payment_status !== "paid") return null;
  return {
    checkoutId,
    reference: `stripe ${session.id}`,
    amountCents: session.currency === CURRENCY ? session.amount_subtotal : null,
  };
}

function address(apiBase: string | null): Pick<Stripe.StripeConfig, "host" | "port" | "protocol"> {
  if (apiBase === null) return {};
  const url = new URL(apiBase);
  const isEncrypted = url.protocol === "https:";
  return {
    protocol: isEncrypted ? "https" : "http",
    host: url.hostname,
    port: url.port === "" ? (isEncrypted ? 443 : 80) : Number(url.port),
  };
}

/** Stripe's messages may quote part of the key. */
function describe(fault: unknown, { errors }: typeof Stripe): Record<string, string | number | null> {
  if (!(fault instanceof errors.StripeError)) return { fault: "unknown" };
  return {
    fault: fault.type,
    code: fault.code ?? null,
    status: fault.statusCode ?? null,
    request: fault.requestId ?? null,
  };
}

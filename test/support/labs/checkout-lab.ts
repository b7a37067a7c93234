import type { CheckoutOptions } from "@tollgate/control/features/checkout/create-checkout-desk";
import type { ControlDatabaseOptions } from "@tollgate/storage/database/open-control-database";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { Stripe } from "stripe";
import { startControlLab } from "./control-lab.ts";

export const WEBHOOK_SECRET = "whsec_for_tests_only";
export const UNIT_PRICE_CENTS = 500;

export const stripeSettings = (apiBase = "http://127.0.0.1:1") => ({
  secretKey: "sk_test_for_tests_only",
  webhookSecret: WEBHOOK_SECRET,
  unitPriceCents: UNIT_PRICE_CENTS,
  apiBase,
});

const stripe = new Stripe("sk_test_for_tests_only");

/** A Stripe session, by default paid in full for one verification. */
export function sessionOf(checkoutId: string, changes: Readonly<Record<string, unknown>> = {}) {
  return {
    id: `cs_test_${checkoutId}`,
    object: "checkout.session",
    mode: "payment",
    client_reference_id: checkoutId,
    metadata: { tollgate_checkout_id: checkoutId },
    payment_status: "paid",
    currency: "usd",
    amount_subtotal: UNIT_PRICE_CENTS,
    ...changes,
  };
}

/** A Stripe notice, signed at `at` (milliseconds). */
export async function stripeNotice(
  session: object,
  { type = "checkout.session.completed", at = Date.now(), secret = WEBHOOK_SECRET } = {},
) {
  const payload = JSON.stringify({
    id: `evt_${crypto.randomUUID()}`,
    object: "event",
    type,
    data: { object: session },
  });
  const signature = await stripe.webhooks.generateTestHeaderStringAsync({
    payload,
    secret,
    timestamp: Math.floor(at / 1000),
  });
  return {
    method: "POST",
    headers: { "content-type": "application/json", "stripe-signature": signature },
    body: payload,
  };
}

/** A checkout whose Stripe session is open. */
export async function insertStripeCheckout(
  db: ControlDb,
  orgId: string,
  createdAtMs: number,
): Promise<string> {
  const id = crypto.randomUUID();
  await db
    .insertInto("checkouts")
    .values({
      id,
      org_id: orgId,
      mode: "live",
      provider: "stripe",
      unit_price_cents: UNIT_PRICE_CENTS,
      callback_url: null,
      claim_digest: null,
      opened_by: "key",
      claimed_by: null,
      paid_count: null,
      payment_reference: null,
      paid_at: null,
      created_at: createdAtMs,
      expires_at: createdAtMs + 86_400_000,
    })
    .execute();
  return id;
}

export async function grantsOf(db: ControlDb, orgId: string) {
  return await db
    .selectFrom("verification_grants")
    .select(["mode", "count", "reference", "granted_by"])
    .where("org_id", "=", orgId)
    .orderBy("created_at")
    .execute();
}

/** A control plane that sells verifications. */
export async function startCheckoutLab(
  place: ControlDatabaseOptions | undefined,
  checkout: Partial<CheckoutOptions> = {},
) {
  const lab = await startControlLab(place, undefined, {
    checkout: { stripe: null, isOpenToStrangers: false, operatorContact: null, ...checkout },
  });
  const post = (path: string, body: unknown, key?: string) =>
    lab.send(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      ...(key === undefined ? {} : { key }),
    });
  return {
    ...lab,
    post,
    /** Sends a notice, and returns its status. */
    async notify(session: object, options: Parameters<typeof stripeNotice>[1] = {}): Promise<number> {
      const notice = await stripeNotice(session, { at: lab.clock.now(), ...options });
      return (await lab.send("/webhooks/stripe", notice)).status;
    },
  };
}

import type { checkoutOperations } from "@tollgate/core/contract/checkout";
import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { InputOf, OutputOf } from "@tollgate/core/contract/operation";
import { fail } from "@tollgate/core/errors";
import { HOUR_MS } from "@tollgate/core/time/durations";
import { digestOf } from "@tollgate/storage/config/api-key";
import type { Scope } from "@tollgate/storage/ledger/scope";
import type { Control } from "../../kernel/context.ts";
import { redirectOriginsOf } from "../organization/redirect-origins.ts";
import { returnUrl } from "./return-url.ts";

type CreateCheckout = (typeof checkoutOperations)["verify.checkouts.create"];

/** null: a caller without a credential, who gets a code for claiming the purchase. */
type Buyer = { readonly scope: Scope; readonly name: string } | null;

/** An unpaid checkout is kept this long after it expired, because a bank transfer may arrive days later. */
const KEPT_MS = 30 * 24 * HOUR_MS;
const MAX_ANONYMOUS_PER_HOUR = 600;

/** Charges nothing and grants nothing; the payment does. */
export async function openCheckout(
  control: Control,
  buyer: Buyer,
  { callback_url }: InputOf<CreateCheckout>,
): Promise<OutputOf<CreateCheckout>> {
  const { db, now, publicUrl } = control;
  if (callback_url !== undefined) await requireAllowedOrigin(control, buyer, callback_url);
  if (buyer === null) await requireFewAnonymous(control);
  const mode = buyer?.scope.mode ?? "live";
  // Its page needs no sign-in, so the whole id is random; other ids begin with the time.
  const checkoutId = crypto.randomUUID();
  const checkout = control.checkout.of(mode);
  const successUrl = returnUrl({ id: checkoutId, callback_url: callback_url ?? null }, publicUrl, "success");
  const cancelUrl = returnUrl({ id: checkoutId, callback_url: callback_url ?? null }, publicUrl, "cancelled");
  const opened = await checkout.open({ checkoutId, successUrl, cancelUrl });
  const code = buyer === null ? newClaimCode() : null;
  await db
    .deleteFrom("checkouts")
    .where("paid_at", "is", null)
    .where("expires_at", "<", now() - KEPT_MS)
    .execute();
  await db
    .insertInto("checkouts")
    .values({
      id: checkoutId,
      org_id: buyer?.scope.orgId ?? null,
      mode,
      provider: checkout.provider,
      unit_price_cents: checkout.unitPriceCents,
      callback_url: callback_url ?? null,
      claim_digest: code === null ? null : digestOf(code),
      opened_by: buyer?.name ?? "anonymous",
      claimed_by: null,
      paid_count: null,
      payment_reference: null,
      paid_at: null,
      created_at: now(),
      expires_at: opened.expiresAtMs,
    })
    .execute();
  return {
    id: checkoutId,
    provider: checkout.provider,
    mode,
    checkout_url: opened.url,
    redirect_url: successUrl,
    unit_price_cents: checkout.unitPriceCents,
    expires_at: toIsoTime(opened.expiresAtMs),
    claim:
      code === null
        ? null
        : {
            code,
            instructions: `Keep this code: it is shown only once and works once. After the payment, sign in at ${publicUrl}/sign-in, open ${publicUrl}/checkout/${checkoutId} and enter it there, or send it to POST /api/verify/claims. The verifications then belong to your organization.`,
          },
  };
}

/** Otherwise a buyer could be sent to a page that imitates the seller's. */
async function requireAllowedOrigin(
  { db, publicUrl }: Control,
  buyer: Buyer,
  callbackUrl: string,
): Promise<void> {
  const { origin } = new URL(callbackUrl);
  if (origin === new URL(publicUrl).origin) return;
  const allowed = buyer === null ? [] : await redirectOriginsOf(db, buyer.scope.orgId);
  if (allowed.includes(origin)) return;
  throw fail(
    "invalid_request",
    buyer === null
      ? `callback_url: without a key, only addresses of ${new URL(publicUrl).origin} are allowed`
      : `callback_url: ${origin} is not one of the organization's redirect_origins; an owner can add it with PATCH /api/organization`,
  );
}

/** Anybody may open one, so their number bounds the table and the calls to the payment provider. */
async function requireFewAnonymous({ db, now }: Control): Promise<void> {
  const { opened } = await db
    .selectFrom("checkouts")
    .select(({ fn }) => fn.countAll<number>().as("opened"))
    .where("claim_digest", "is not", null)
    .where("created_at", ">", now() - HOUR_MS)
    .executeTakeFirstOrThrow();
  if (Number(opened) < MAX_ANONYMOUS_PER_HOUR) return;
  throw fail(
    "rate_limited",
    "Too many checkouts were opened without a key; try again in an hour",
    {},
    {
      "retry-after": String(HOUR_MS / 1000),
    },
  );
}

/** A bearer code. The buyer sees it once; only its digest is stored. */
function newClaimCode(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
}

import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import { fromRow } from "@tollgate/storage/database/from-row";
import type { Control } from "../../kernel/context.ts";
import { checkoutPage } from "../../pages/checkout-page.ts";
import { page } from "../../pages/page.ts";
import { pageResponse } from "../../pages/page-response.ts";
import { returnUrl } from "./return-url.ts";

const RELOAD_SECONDS = 15;

/** The page of a checkout, without sign-in: its id cannot be guessed. A completed one redirects back to the caller. */
export async function showCheckout(
  { db, publicUrl, checkout: desk }: Pick<Control, "db" | "publicUrl" | "checkout">,
  id: string,
): Promise<Response> {
  const row = await db
    .selectFrom("checkouts")
    .leftJoin("organizations", "organizations.id", "checkouts.org_id")
    .select(["checkouts.id", "checkouts.mode", "checkouts.provider", "checkouts.paid_count"])
    .select(["checkouts.callback_url", "checkouts.expires_at", "organizations.name"])
    .where("checkouts.id", "=", id)
    .executeTakeFirst();
  if (row === undefined) {
    return pageResponse(
      page("No such checkout", "<p>There is no such checkout, or it has expired.</p>"),
      404,
    );
  }
  const { mode, provider, paid_count: paidCount, callback_url, name } = fromRow("checkouts", row);
  const isComplete = paidCount !== null && name !== null;
  if (isComplete && callback_url !== null) {
    return new Response(null, {
      status: 303,
      headers: { location: returnUrl(row, publicUrl, "success"), "cache-control": "no-store" },
    });
  }
  const answer = pageResponse(
    checkoutPage({
      id,
      provider,
      mode,
      organizationName: name,
      paidCount,
      operatorContact: desk.operatorContact,
      cancelUrl: callback_url && returnUrl(row, publicUrl, "cancelled"),
      expiresAt: toIsoTime(row.expires_at),
    }),
  );
  // A reload would interrupt somebody who is typing a claim code.
  if (!isComplete && name !== null) answer.headers.set("refresh", String(RELOAD_SECONDS));
  return answer;
}

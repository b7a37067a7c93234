import { fail } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import type { ReportedPayment } from "../../kernel/checkout.ts";
import type { Control } from "../../kernel/context.ts";
import { payCheckout } from "./pay-checkout.ts";

/**
 * Handles a payment reported by the provider. Reporting it again, for example after a lost response, changes nothing. Throws
 * if the amount is not a multiple of the price: the provider then shows the operator a failed delivery.
 */
export async function takeNotice(control: Control, payment: ReportedPayment, log: Log): Promise<void> {
  const { checkoutId, reference, amountCents } = payment;
  const checkout = await control.db
    .selectFrom("checkouts")
    .select("unit_price_cents")
    .where("id", "=", checkoutId)
    .where("provider", "=", "stripe")
    .executeTakeFirst();
  if (checkout === undefined) {
    // Another installation may sell with the same account.
    log("warn", "a payment does not belong to any checkout here", { reference });
    return;
  }
  const count = countPaidFor(amountCents, checkout.unit_price_cents);
  if (count === null) {
    log("error", "a payment does not match its checkout: grant it manually", {
      reference,
      checkout: checkoutId,
    });
    throw fail("invalid_request", "The amount paid is not a multiple of the price of this checkout");
  }
  const outcome = await payCheckout(control, { checkoutId, count, reference, grantedBy: "stripe" });
  log("info", "a payment was reported", { reference, checkout: checkoutId, outcome });
}

function countPaidFor(amountCents: number | null, unitPriceCents: number | null): number | null {
  if (amountCents === null || unitPriceCents === null || amountCents < unitPriceCents) return null;
  return amountCents % unitPriceCents === 0 ? amountCents / unitPriceCents : null;
}

import { fail } from "@tollgate/core/errors";
import type { Log } from "@tollgate/core/log";
import type { ReportedPayment } from "../kernel/checkout.ts";
import type { Control } from "../kernel/context.ts";
import { payCheckout } from "./pay-checkout.ts";

/**
 * A payment that the provider reports. Reporting it again, also after an answer that was lost, changes nothing. Throws for
 * an amount that buys no whole number of verifications: the provider shows the operator what it could not deliver.
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
    log("warn", "a payment is of no checkout here", { reference });
    return;
  }
  const count = countPaidFor(amountCents, checkout.unit_price_cents);
  if (count === null) {
    log("error", "a payment does not fit its checkout: grant by hand", { reference, checkout: checkoutId });
    throw fail("invalid_request", "The amount paid is not a multiple of the price of this checkout");
  }
  const outcome = await payCheckout(control, { checkoutId, count, reference, grantedBy: "stripe" });
  log("info", "a payment was reported", { reference, checkout: checkoutId, outcome });
}

function countPaidFor(amountCents: number | null, unitPriceCents: number | null): number | null {
  if (amountCents === null || unitPriceCents === null || amountCents < unitPriceCents) return null;
  return amountCents % unitPriceCents === 0 ? amountCents / unitPriceCents : null;
}

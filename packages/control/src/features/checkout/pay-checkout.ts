import { fromRow } from "@tollgate/storage/database/from-row";
import type { Control } from "../../kernel/context.ts";
import { grant } from "./grant.ts";

interface Payment {
  readonly checkoutId: string;
  readonly count: number;
  /** Identifies the payment, so that one that is reported twice counts once. */
  readonly reference: string;
  readonly grantedBy: string;
}

/** `granted`: the balance was raised. `unclaimed`: it will be when the purchase is claimed. */
type Outcome = "granted" | "unclaimed" | "paid_before" | "unknown";

/**
 * Payment and grant are one transaction, and only the first payment of a checkout counts: one that is reported twice,
 * concurrently or after a crash, grants once.
 */
export async function payCheckout(
  { db, now, newId }: Pick<Control, "db" | "now" | "newId">,
  { checkoutId, count, reference, grantedBy }: Payment,
): Promise<Outcome> {
  const paidAtMs = now();
  return await db.transaction().execute(async transaction => {
    const paid = await transaction
      .updateTable("checkouts")
      .set({ paid_count: count, payment_reference: reference, paid_at: paidAtMs })
      .where("id", "=", checkoutId)
      .where("paid_at", "is", null)
      .returning(["id", "org_id", "mode"])
      .executeTakeFirst();
    if (paid === undefined) return (await exists()) ? "paid_before" : "unknown";
    const { org_id: orgId, mode } = fromRow("checkouts", paid);
    if (orgId === null) return "unclaimed";
    await grant(transaction, {
      id: newId(),
      orgId,
      mode,
      count,
      reference,
      grantedBy,
      createdAtMs: paidAtMs,
    });
    return "granted";

    async function exists(): Promise<boolean> {
      const found = await transaction
        .selectFrom("checkouts")
        .select("id")
        .where("id", "=", checkoutId)
        .executeTakeFirst();
      return found !== undefined;
    }
  });
}

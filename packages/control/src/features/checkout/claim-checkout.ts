import type { checkoutOperations } from "@tollgate/core/contract/checkout";
import type { OutputOf } from "@tollgate/core/contract/operation";
import { fail } from "@tollgate/core/errors";
import { digestOf } from "@tollgate/storage/config/api-key";
import { fromRow } from "@tollgate/storage/database/from-row";
import { actorName } from "../../kernel/actor-name.ts";
import type { Context } from "../../kernel/context.ts";
import { grant } from "./grant.ts";

type Claim = (typeof checkoutOperations)["verify.claims.create"];

/** Assigns an anonymous purchase to the organization that presents its code. Wrong and used codes get the same answer. */
export async function claimCheckout(context: Context, code: string): Promise<OutputOf<Claim>> {
  const { db, actor, organization, now, newId } = context;
  if (actor.kind !== "member")
    throw fail("insufficient_role", "Only a signed-in person can claim a purchase");
  return await db.transaction().execute(async transaction => {
    const claimed = await transaction
      .updateTable("checkouts")
      .set({ org_id: organization.id, claimed_by: actorName(actor) })
      .where("claim_digest", "=", digestOf(code))
      .where("org_id", "is", null)
      .returning(["id", "mode", "paid_count", "payment_reference"])
      .executeTakeFirst();
    if (claimed === undefined) {
      throw fail("not_found", "There is no such claim code, or it has been used: a code works once");
    }
    const { id, mode, paid_count: count, payment_reference: reference } = fromRow("checkouts", claimed);
    if (count === null || reference === null) {
      return { checkout_id: id, mode, status: "awaiting_payment", verifications: null };
    }
    await grant(transaction, {
      id: newId(),
      orgId: organization.id,
      mode,
      count,
      reference,
      grantedBy: actorName(actor),
      createdAtMs: now(),
    });
    return { checkout_id: id, mode, status: "granted", verifications: count };
  });
}

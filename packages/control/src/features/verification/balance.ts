import { fail, type TollgateError } from "@tollgate/core/errors";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Scope } from "@tollgate/storage/ledger/scope";
import { sumOf } from "@tollgate/storage/read-model/sum-of";
import { sql } from "kysely";
import type { Control } from "../../kernel/context.ts";
import { openStatuses } from "./request-row.ts";

const FREE = "free";

export interface Balance {
  readonly granted: number;
  readonly charged: number;
  /** What is left of the grants. */
  readonly balance: number;
  /** Running verifications: each may still end with a verdict, which is charged. */
  readonly reserved: number;
  readonly available: number;
}

/** Never writes: the free grant counts before it has a row. */
export async function readBalance(db: ControlDb, scope: Scope, freeVerifications: number): Promise<Balance> {
  const grants = await db
    .selectFrom("verification_grants")
    .select([
      sumOf(sql.ref("count")).as("count"),
      sumOf(sql`CASE WHEN reference = ${FREE} THEN 1 ELSE 0 END`).as("free"),
    ])
    .where(inScope(scope))
    .executeTakeFirstOrThrow();
  const charges = await db
    .selectFrom("verification_charges")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where(inScope(scope))
    .executeTakeFirstOrThrow();
  const open = await db
    .selectFrom("verification_requests")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where(inScope(scope))
    .where("status", "in", openStatuses)
    .executeTakeFirstOrThrow();
  const granted = grants.count + (grants.free > 0 ? 0 : freeVerifications);
  const charged = Number(charges.count);
  const reserved = Number(open.count);
  const balance = granted - charged;
  return { granted, charged, balance, reserved, available: Math.max(0, balance - reserved) };
}

/** A scope's first write books its free verifications, so that later changes of their number do not affect it. */
export async function bookFreeGrant(
  transaction: ControlDb,
  { newId, now, freeVerifications }: Pick<Control, "newId" | "now" | "freeVerifications">,
  { orgId, mode }: Scope,
): Promise<void> {
  await transaction
    .insertInto("verification_grants")
    .values({
      id: newId(),
      org_id: orgId,
      mode,
      count: freeVerifications,
      reference: FREE,
      granted_by: "tollgate",
      created_at: now(),
    })
    .onConflict(conflict => conflict.columns(["org_id", "mode", "reference"]).doNothing())
    .execute();
}

/** Says what to do about it, so that a program can tell its user. */
export function noVerificationLeft({ balance, reserved }: Balance): TollgateError {
  const sentence =
    reserved > 0
      ? `All ${balance} remaining verifications are reserved by those under way; wait for their end, or buy more`
      : "No verification is left; buy one first";
  return fail("no_verification_left", sentence, {
    status: "payment_required",
    balance,
    reserved,
    next_step: "POST /api/verify/checkout, or the tool svc_buy_verification, answers a checkout URL",
  });
}

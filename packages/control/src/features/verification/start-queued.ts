import { lockOrganization } from "@tollgate/storage/config/lock-organization";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Scope } from "@tollgate/storage/ledger/scope";
import type { Control } from "../../kernel/context.ts";

/** Per scope: each of them sends a share of the traffic twice. */
export const MAX_COLLECTING = 10;

export async function countCollecting(db: ControlDb, { orgId, mode }: Scope): Promise<number> {
  const { count } = await db
    .selectFrom("verification_requests")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("org_id", "=", orgId)
    .where("mode", "=", mode)
    .where("status", "=", "collecting")
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Starts the oldest queued requests of a scope, up to the maximum. Their time limit counts from now. */
export async function startQueued(
  { db, engine, now }: Pick<Control, "db" | "engine" | "now">,
  scope: Scope,
): Promise<number> {
  return await db.transaction().execute(async transaction => {
    await lockOrganization(transaction, engine, scope.orgId);
    const room = MAX_COLLECTING - (await countCollecting(transaction, scope));
    if (room <= 0) return 0;
    const queued = await transaction
      .selectFrom("verification_requests")
      .select(["id", "created_at", "expires_at"])
      .where(inScope(scope))
      .where("status", "=", "queued")
      .orderBy("created_at")
      .orderBy("id")
      .limit(room)
      .execute();
    for (const { id, created_at, expires_at } of queued) {
      await transaction
        .updateTable("verification_requests")
        .set({ status: "collecting", expires_at: now() + (expires_at - created_at) })
        .where("id", "=", id)
        .where("status", "=", "queued")
        .execute();
    }
    return queued.length;
  });
}

import { fail } from "@tollgate/core/errors";
import { sql } from "kysely";
import type { Handler } from "../kernel/handler.ts";

/** Revoking again keeps the first time. */
export const keysRevoke: Handler<"keys.revoke"> = async ({ db, actor, scope, now }, { id }) => {
  const revoked = await db
    .updateTable("api_keys")
    .set({ revoked_at: sql<number>`coalesce(revoked_at, ${now()})` })
    .where("id", "=", id)
    .where("org_id", "=", scope.orgId)
    .$if(actor.kind === "key" && scope.mode === "test", query => query.where("mode", "=", "test"))
    .returning("id")
    .executeTakeFirst();
  if (!revoked) throw fail("not_found", "There is no such key");
};

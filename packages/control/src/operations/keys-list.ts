import type { keysList as contract } from "@tollgate/core/contract/keys-list";
import type { Handler } from "./handler.ts";
import { shownKey } from "./keys-shown.ts";

export const keysList: Handler<typeof contract> = async ({ db, actor, scope }) => {
  const rows = await db
    .selectFrom("api_keys")
    .select(["id", "name", "mode", "scope", "last_four", "created_by", "created_at", "revoked_at"])
    .where("org_id", "=", scope.orgId)
    .$if(actor.kind === "key" && scope.mode === "test", query => query.where("mode", "=", "test"))
    .orderBy("created_at", "desc")
    .orderBy("id")
    .execute();
  return { keys: rows.map(shownKey) };
};

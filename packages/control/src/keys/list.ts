import type { Handler } from "../kernel/handler.ts";
import { pageByTime } from "../kernel/page-by-time.ts";
import { shownKey } from "./to-key.ts";

export const keysList: Handler<"keys.list"> = async ({ db, actor, scope }, { limit, cursor }) => {
  const rows = await db
    .selectFrom("api_keys")
    .select(["id", "name", "mode", "scope", "last_four", "created_by", "created_at", "revoked_at"])
    .where("org_id", "=", scope.orgId)
    .$if(actor.kind === "key" && scope.mode === "test", query => query.where("mode", "=", "test"))
    .$if(cursor !== undefined, query =>
      query.where(where =>
        where.or([
          where("created_at", "<", cursor?.at ?? 0),
          where.and([where("created_at", "=", cursor?.at ?? 0), where("id", "<", cursor?.key ?? "")]),
        ]),
      ),
    )
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
  const { shown, next_cursor } = pageByTime(rows, limit);
  return { keys: shown.map(shownKey), next_cursor };
};

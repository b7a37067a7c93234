import type { Handler } from "../kernel/handler.ts";
import { pageByTime } from "../kernel/page-by-time.ts";
import { memberColumns, shownMember } from "./to-member.ts";

export const membersList: Handler<"members.list"> = async ({ db, organization }, { limit, cursor }) => {
  const rows = await db
    .selectFrom("members")
    .select(memberColumns)
    .where("org_id", "=", organization.id)
    .$if(cursor !== undefined, query =>
      query.where(where =>
        where.or([
          where("created_at", ">", cursor?.at ?? 0),
          where.and([where("created_at", "=", cursor?.at ?? 0), where("id", ">", cursor?.key ?? "")]),
        ]),
      ),
    )
    .orderBy("created_at")
    .orderBy("id")
    .limit(limit + 1)
    .execute();
  const { shown, next_cursor } = pageByTime(rows, limit);
  return { members: shown.map(shownMember), next_cursor };
};

import type { Handler } from "../kernel/handler.ts";
import { pageByTime } from "../kernel/page-by-time.ts";
import { toOutcome } from "./to-outcome.ts";

export const outcomesList: Handler<"outcomes.list"> = async (context, input) => {
  const { db, scope } = context;
  const { cursor, limit } = input;
  let query = db
    .selectFrom("outcomes")
    .selectAll()
    .where("org_id", "=", scope.orgId)
    .where("mode", "=", scope.mode);
  if (input.session_id !== undefined) query = query.where("session_id", "=", input.session_id);
  if (input.agent_id !== undefined) query = query.where("agent_id", "=", input.agent_id);
  if (input.confirmed !== undefined) {
    query = query.where("confirmed_at", input.confirmed ? "is not" : "is", null);
  }
  if (cursor !== undefined) {
    query = query.where(where =>
      where.or([
        where("created_at", "<", cursor.at),
        where.and([where("created_at", "=", cursor.at), where("id", "<", cursor.key)]),
      ]),
    );
  }
  // One extra row tells whether there is another page.
  const rows = await query
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
  const { shown, next_cursor } = pageByTime(rows, limit);
  return {
    outcomes: await Promise.all(shown.map(row => toOutcome(context, row))),
    next_cursor,
  };
};

import { fail } from "@tollgate/core/errors";
import { listOfTexts } from "@tollgate/storage/database/list-of";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import { sql } from "kysely";
import type { Context } from "../../kernel/context.ts";
import type { Handler } from "../../kernel/handler.ts";
import { findWebhook } from "./find-webhook.ts";

const BATCH = 500;

/** In batches, in order of creation: there may be very many. */
export const webhooksReplay: Handler<"webhooks.replay"> = async (context, input) => {
  const webhook = await findWebhook(context, input.id);
  if (webhook.disabled_at !== null) throw fail("invalid_request", "The webhook is disabled; enable it first");
  let replayed = 0;
  let after: Place = { created_at: input.from, id: "" };
  for (;;) {
    const rows = await readPage(context, input, after);
    const last = rows.at(-1);
    if (last === undefined) break;
    replayed += await makePending(
      context,
      rows.map(({ id }) => id),
    );
    after = last;
    context.wakeSender([input.id]);
    if (rows.length < BATCH) break;
    await new Promise(resolve => setImmediate(resolve));
  }
  return { replayed };
};

interface Place {
  readonly created_at: number;
  readonly id: string;
}

async function readPage(
  { db, scope }: Context,
  { id, to, status }: Parameters<typeof webhooksReplay>[1],
  after: Place,
): Promise<readonly Place[]> {
  let query = db
    .selectFrom("deliveries")
    .select(["id", "created_at"])
    .where("receiver", "=", id)
    .where(inScope(scope))
    .where("created_at", ">=", after.created_at)
    .where("created_at", "<", to)
    .where(where => where.or([where("created_at", ">", after.created_at), where("id", ">", after.id)]));
  // Literal, not a parameter: otherwise the partial index on failed deliveries is not used.
  query =
    status === undefined
      ? query.where("status", "<>", "pending")
      : query.where("status", "=", sql.lit(status));
  return query.orderBy("created_at").orderBy("id").limit(BATCH).execute();
}

async function makePending({ db, engine, scope, now }: Context, ids: readonly string[]): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable("deliveries")
    .set({ status: "pending", tries: 0, next_attempt_at: now(), first_tried_at: null, finished_at: null })
    .where(inScope(scope))
    .where("id", "in", listOfTexts(engine, ids))
    .where("status", "<>", "pending")
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

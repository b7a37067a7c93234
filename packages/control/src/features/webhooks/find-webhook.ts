import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Context } from "../../kernel/context.ts";
import { notFound } from "../../kernel/not-found.ts";
import type { WebhookRow } from "./to-webhook.ts";

export async function findWebhook(
  { db, scope }: Pick<Context, "db" | "scope">,
  id: string,
): Promise<WebhookRow> {
  return found(await ofScope(db, scope, id).executeTakeFirst());
}

/** Locks the row for a change in a transaction. SQLite has a single writer anyway. */
export async function lockWebhook(
  { db, engine, scope }: Pick<Context, "db" | "engine" | "scope">,
  id: string,
): Promise<WebhookRow> {
  const query = ofScope(db, scope, id);
  return found(await (engine === "postgres" ? query.forUpdate() : query).executeTakeFirst());
}

function ofScope(db: Context["db"], scope: Context["scope"], id: string) {
  return db.selectFrom("webhooks").selectAll().where(inScope(scope)).where("id", "=", id);
}

function found(row: WebhookRow | undefined): WebhookRow {
  if (row === undefined) throw notFound("webhook");
  return row;
}

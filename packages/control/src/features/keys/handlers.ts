import type { keyOperations } from "@tollgate/core/contract/keys";
import { fail } from "@tollgate/core/errors";
import { modes } from "@tollgate/core/event";
import { historyStart } from "@tollgate/core/limits/history-window";
import { isDemo } from "@tollgate/storage/config/is-demo";
import { type KeyCreator, newKey } from "@tollgate/storage/config/new-key";
import type { KeyUsage } from "@tollgate/storage/read-model/queries/subject-queries";
import { sql } from "kysely";
import type { Actor, Context } from "../../kernel/context.ts";
import type { Handlers } from "../../kernel/handler.ts";
import { readPageByTime } from "../../kernel/read-page-by-time.ts";
import { shownKey } from "./to-key.ts";

export const keyHandlers: Handlers<typeof keyOperations> = {
  /** Only the digest is stored: this response is the only place where the key's text appears. */
  "keys.create": async (context, input) => {
    const mode = input.mode ?? context.scope.mode;
    if (context.actor.kind === "key" && context.scope.mode === "test" && mode === "live") {
      throw fail("insufficient_scope", "A key for test traffic cannot create a live key");
    }
    // A demo has the highest tier, whatever the tier of its home.
    if (await isDemo(context.db, context.organization.id)) {
      throw fail(
        "invalid_request",
        "A demo has no keys for clients: create one in your own organization, in test mode for trying things out",
      );
    }
    const { key, row } = newKey({
      id: context.newId(),
      orgId: context.organization.id,
      mode,
      permission: input.scope,
      role: context.actor.role,
      name: input.name ?? null,
      creator: creatorOf(context.actor),
      now: context.now(),
    });
    await context.db.insertInto("api_keys").values(row).execute();
    return { ...shownKey(row, undefined), key };
  },

  "keys.list": async (context, page) => {
    const { db, actor, scope } = context;
    let query = db
      .selectFrom("api_keys")
      .select(["id", "name", "mode", "scope", "last_four", "created_by", "created_at", "revoked_at"])
      .where("org_id", "=", scope.orgId);
    if (actor.kind === "key" && scope.mode === "test") query = query.where("mode", "=", "test");
    const { shown, next_cursor } = await readPageByTime(query, page);
    const usage = await usageOf(context, shown);
    return { keys: shown.map(row => shownKey(row, usage.get(row.id))), next_cursor };
  },

  /** Revoking again keeps the first time. */
  "keys.revoke": async ({ db, actor, scope, now }, { id }) => {
    const revoked = await db
      .updateTable("api_keys")
      .set({ revoked_at: sql<number>`coalesce(revoked_at, ${now()})` })
      .where("id", "=", id)
      .where("org_id", "=", scope.orgId)
      .$if(actor.kind === "key" && scope.mode === "test", query => query.where("mode", "=", "test"))
      .returning("id")
      .executeTakeFirst();
    if (!revoked) throw fail("not_found", "There is no such key");
  },
};

/** A page may have keys of both modes. */
async function usageOf(
  { readModel, scope: { orgId }, organization, now }: Context,
  keys: readonly { readonly id: string; readonly mode: string }[],
): Promise<ReadonlyMap<string, KeyUsage>> {
  const visibleFrom = historyStart(organization.tier, now());
  const usage = new Map<string, KeyUsage>();
  for (const mode of modes) {
    const ids = keys.filter(key => key.mode === mode).map(({ id }) => id);
    if (ids.length === 0) continue;
    for (const [id, used] of await readModel.keyUsage({ orgId, mode }, ids, visibleFrom)) usage.set(id, used);
  }
  return usage;
}

/** A key created by a key has the same creator, whose role bounds both. */
function creatorOf(actor: Actor): KeyCreator {
  return actor.kind === "key" ? actor.creator : { shownAs: actor.email, userId: actor.userId };
}

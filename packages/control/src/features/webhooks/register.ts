import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import { fail } from "@tollgate/core/errors";
import { lockOrganization } from "@tollgate/storage/config/lock-organization";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Handler } from "../../kernel/handler.ts";
import { notFound } from "../../kernel/not-found.ts";
import { kindsOf } from "./to-webhook.ts";

const MAX_WEBHOOKS = 50;

export const webhooksRegister: Handler<"webhooks.register"> = async (context, input) => {
  const { db, scope } = context;
  // The path names an organization, but only the credential decides.
  if (input.orgId !== scope.orgId) throw notFound("organization");
  context.targetGuard.refuseAtRegistration("url", input.url);
  const now = context.now();
  const row = await db.transaction().execute(async transaction => {
    await lockOrganization(transaction, context.engine, scope.orgId);
    const { count } = await transaction
      .selectFrom("webhooks")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .where(inScope(scope))
      .executeTakeFirstOrThrow();
    if (count >= MAX_WEBHOOKS) {
      throw fail("invalid_request", `An organization has at most ${MAX_WEBHOOKS} webhooks`);
    }
    const row = {
      id: context.newId(),
      org_id: scope.orgId,
      mode: scope.mode,
      url: input.url,
      events: JSON.stringify([...new Set(input.events)]),
      secret: input.secret,
      created_at: now,
      updated_at: now,
      // An event recorded after the commit has a higher seq, so it is delivered.
      since_seq: await context.readModel.newestSeq(),
      previous_secret: null,
      previous_secret_until: null,
      failing_since: null,
      last_failed_at: null,
      disabled_at: null,
      disabled_reason: null,
    };
    await transaction.insertInto("webhooks").values(row).execute();
    return row;
  });
  return {
    id: row.id,
    url: row.url,
    events: kindsOf(row),
    secret: row.secret,
    created_at: toIsoTime(row.created_at),
  };
};

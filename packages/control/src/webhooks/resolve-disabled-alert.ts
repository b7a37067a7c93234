import type { ControlDb } from "@tollgate/storage/database/schema";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Scope } from "@tollgate/storage/read-model/queries";
import { disabledRuleKey } from "./disable-webhook.ts";

/** Resolves the alert about a disabled webhook once somebody has dealt with the webhook. */
export async function resolveDisabledAlert(
  db: ControlDb,
  scope: Scope,
  webhookId: string,
  now: number,
): Promise<void> {
  await db
    .updateTable("alerts")
    .set({ resolved_at: now })
    .where(inScope(scope))
    .where("rule_key", "=", disabledRuleKey(webhookId))
    .where("resolved_at", "is", null)
    .execute();
}

import type { webhookKinds } from "@tollgate/core/contract/webhooks";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import type { Scope } from "@tollgate/storage/ledger/scope";
import type { Control } from "../../kernel/context.ts";
import { bodyOf } from "./delivery.ts";
import { enqueueDeliveries } from "./enqueue-deliveries.ts";

type WebhookKind = (typeof webhookKinds)[number];

/**
 * Enqueues a delivery for every registration that selected the kind and resolves with those registrations. Call it in
 * the transaction that made `data` true.
 */
export async function enqueueWebhooks(
  db: ControlDb,
  parts: Pick<Control, "engine" | "now" | "newId">,
  scope: Scope,
  kind: WebhookKind,
  subjectId: string,
  data: unknown,
): Promise<readonly string[]> {
  const webhooks = await db
    .selectFrom("webhooks")
    .select(["id", "events"])
    .where(inScope(scope))
    .where("disabled_at", "is", null)
    .execute();
  const body = bodyOf(kind, parts.now(), data);
  return await enqueueDeliveries(
    db,
    parts,
    webhooks
      .filter(({ events }) => selects(events, kind))
      .map(({ id }) => ({
        orgId: scope.orgId,
        mode: scope.mode,
        channel: "webhook",
        receiver: id,
        kind,
        subjectId,
        body,
      })),
  );
}

/** `events` as stored: a JSON list of kinds. */
export function selects(events: string, kind: WebhookKind): boolean {
  const kinds: unknown = JSON.parse(events);
  return Array.isArray(kinds) && kinds.includes(kind);
}

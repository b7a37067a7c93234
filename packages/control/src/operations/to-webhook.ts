import { toIsoTime } from "@tollgate/core/contract/iso-time";
import { webhookKinds } from "@tollgate/core/contract/webhook-kinds";
import type { webhookResource } from "@tollgate/core/contract/webhook-resource";
import type { ControlSchema } from "@tollgate/storage/control/schema";
import type { Selectable } from "kysely";
import { z } from "zod";

const storedKinds = z.array(z.enum(webhookKinds));

export function toWebhook(row: Selectable<ControlSchema["webhooks"]>): z.infer<typeof webhookResource> {
  return {
    id: row.id,
    url: row.url,
    events: storedKinds.parse(JSON.parse(row.events)),
    created_at: toIsoTime(row.created_at),
  };
}

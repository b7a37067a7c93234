import { z } from "zod";
import { cursorInput, nextCursor } from "./cursor.ts";
import { idParams } from "./object-id.ts";
import { operation } from "./operation.ts";
import { pageLimit } from "./page-limit.ts";
import { deliveredKinds, deliveryStatuses, webhookDeliveryResource } from "./webhook-delivery-resource.ts";

export const webhooksDeliveriesList = operation({
  id: "webhooks.deliveries.list",
  method: "GET",
  path: "/api/webhooks/:id/deliveries",
  summary: "What a webhook was sent, newest first; kept for 30 days after its end",
  params: idParams,
  query: z.strictObject({
    status: z.enum(deliveryStatuses).optional(),
    kind: z.enum(deliveredKinds).optional(),
    limit: pageLimit(200),
    cursor: cursorInput.optional(),
  }),
  output: z.strictObject({ deliveries: z.array(webhookDeliveryResource), next_cursor: nextCursor }),
  status: 200,
  scope: "read",
  role: "viewer",
});

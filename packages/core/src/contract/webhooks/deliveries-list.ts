import { z } from "zod";
import { cursorInput, nextCursor } from "../fields/cursor.ts";
import { idParams } from "../fields/object-id.ts";
import { pageLimit } from "../fields/page-limit.ts";
import { operation } from "../operation.ts";
import { deliveredKinds, deliveryStatuses, webhookDeliveryResource } from "./delivery-resource.ts";

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

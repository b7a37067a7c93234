import { z } from "zod";
import { idParams } from "../fields/object-id.ts";
import { operation } from "../operation.ts";
import { webhookAttemptResource, webhookDeliveryResource } from "./delivery-resource.ts";

export const webhooksDeliveriesGet = operation({
  id: "webhooks.deliveries.get",
  method: "GET",
  path: "/api/webhooks/deliveries/:id",
  summary: "One delivery, its body and every attempt",
  params: idParams,
  output: z.strictObject({
    ...webhookDeliveryResource.shape,
    body: z.string().meta({ description: "The exact text that is sent and signed" }),
    attempt_log: z.array(webhookAttemptResource),
  }),
  status: 200,
  scope: "read",
  role: "viewer",
});

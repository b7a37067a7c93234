import { idParams } from "../fields/object-id.ts";
import { operation } from "../operation.ts";
import { webhookDeliveryResource } from "./delivery-resource.ts";

export const webhooksDeliveriesReplay = operation({
  id: "webhooks.deliveries.replay",
  method: "POST",
  path: "/api/webhooks/deliveries/:id/replay",
  summary: "Send one delivery again, with the same id and bytes and a new round of tries",
  params: idParams,
  output: webhookDeliveryResource,
  status: 200,
  scope: "write",
  role: "admin",
});

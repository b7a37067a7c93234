import { idParams } from "../fields/object-id.ts";
import { operation } from "../operation.ts";
import { webhookResource } from "./resource.ts";

export const webhooksGet = operation({
  id: "webhooks.get",
  method: "GET",
  path: "/api/webhooks/:id",
  summary: "One webhook, without its secret",
  params: idParams,
  output: webhookResource,
  status: 200,
  scope: "read",
  role: "viewer",
});

import { idParams } from "../fields/object-id.ts";
import { operation } from "../operation.ts";

export const webhooksDelete = operation({
  id: "webhooks.delete",
  method: "DELETE",
  path: "/api/webhooks/:id",
  summary: "Remove a webhook",
  params: idParams,
  status: 204,
  scope: "write",
  role: "admin",
});

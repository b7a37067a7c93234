import { z } from "zod";
import { idParams } from "../fields/object-id.ts";
import { outgoingUrl } from "../fields/outgoing-url.ts";
import { operation } from "../operation.ts";
import { webhookKinds } from "./kinds.ts";
import { webhookResource } from "./resource.ts";

export const webhooksUpdate = operation({
  id: "webhooks.update",
  method: "PATCH",
  path: "/api/webhooks/:id",
  summary: "Change, disable or enable a webhook; what is omitted stays",
  params: idParams,
  body: z.strictObject({
    url: outgoingUrl.optional(),
    events: z.array(z.enum(webhookKinds)).min(1).max(webhookKinds.length).optional(),
    enabled: z
      .boolean()
      .optional()
      .meta({ description: "false cancels what is pending; true tells of what happens from now on" }),
  }),
  output: webhookResource,
  status: 200,
  scope: "write",
  role: "admin",
});

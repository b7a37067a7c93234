import { z } from "zod";
import { objectId } from "./object-id.ts";
import { operation } from "./operation.ts";
import { outgoingUrl } from "./outgoing-url.ts";
import { webhookKinds } from "./webhook-kinds.ts";
import { webhookResource } from "./webhook-resource.ts";

export const webhooksRegister = operation({
  id: "webhooks.register",
  method: "POST",
  path: "/api/webhooks/generic/:orgId",
  summary: "Have events sent to a URL, signed with the secret",
  params: z.strictObject({ orgId: objectId }),
  body: z.strictObject({
    url: outgoingUrl,
    events: z.array(z.enum(webhookKinds)).min(1).max(webhookKinds.length),
    secret: z.string().min(1).max(1024),
  }),
  output: z.strictObject({ ...webhookResource.shape, secret: z.string() }),
  status: 201,
  scope: "write",
  role: "admin",
});

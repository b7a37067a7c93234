import { z } from "zod";
import { objectId } from "../fields/object-id.ts";
import { outgoingUrl } from "../fields/outgoing-url.ts";
import { operation } from "../operation.ts";
import { webhookKinds } from "./kinds.ts";
import { webhookResource } from "./resource.ts";
import { webhookSecret } from "./secret.ts";

const { id, url, events, created_at } = webhookResource.shape;

export const webhooksRegister = operation({
  id: "webhooks.register",
  method: "POST",
  path: "/api/webhooks/generic/:orgId",
  summary: "Have events sent to a URL, signed with the secret",
  params: z.strictObject({ orgId: objectId }),
  body: z.strictObject({
    url: outgoingUrl,
    events: z.array(z.enum(webhookKinds)).min(1).max(webhookKinds.length),
    secret: webhookSecret,
  }),
  output: z.strictObject({ id, url, events, created_at, secret: z.string() }),
  status: 201,
  scope: "write",
  role: "admin",
});

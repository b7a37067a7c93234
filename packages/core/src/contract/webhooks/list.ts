import { z } from "zod";
import { operation } from "../operation.ts";
import { webhookResource } from "./resource.ts";

export const webhooksList = operation({
  id: "webhooks.list",
  method: "GET",
  path: "/api/webhooks",
  summary: "Registered webhooks, without their secrets",
  output: z.strictObject({ webhooks: z.array(webhookResource) }),
  status: 200,
  scope: "read",
  role: "viewer",
});

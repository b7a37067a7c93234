import { z } from "zod";
import { keyResource } from "./keys-resource.ts";
import { operation } from "./operation.ts";

export const keysList = operation({
  id: "keys.list",
  method: "GET",
  path: "/api/keys",
  summary: "All API keys, newest first; a key of test traffic sees those of test traffic",
  output: z.strictObject({ keys: z.array(keyResource) }),
  status: 200,
  scope: "read",
  role: "viewer",
});

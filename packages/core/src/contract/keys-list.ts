import { z } from "zod";
import { nextCursor } from "./cursor.ts";
import { keyResource } from "./keys-resource.ts";
import { operation } from "./operation.ts";
import { pageQuery } from "./page-query.ts";

export const keysList = operation({
  id: "keys.list",
  method: "GET",
  path: "/api/keys",
  summary: "API keys, newest first, in pages; a key of test traffic sees those of test traffic",
  query: pageQuery,
  output: z.strictObject({ keys: z.array(keyResource), next_cursor: nextCursor }),
  status: 200,
  scope: "read",
  role: "viewer",
});

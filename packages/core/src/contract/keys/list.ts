import { z } from "zod";
import { nextCursor } from "../fields/cursor.ts";
import { pageQuery } from "../fields/page-query.ts";
import { operation } from "../operation.ts";
import { keyResource } from "./resource.ts";

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

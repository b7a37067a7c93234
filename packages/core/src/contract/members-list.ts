import { z } from "zod";
import { nextCursor } from "./cursor.ts";
import { memberResource } from "./members-resource.ts";
import { operation } from "./operation.ts";
import { pageQuery } from "./page-query.ts";

export const membersList = operation({
  id: "members.list",
  method: "GET",
  path: "/api/members",
  summary: "Members of the organization and open invitations, in pages",
  query: pageQuery,
  output: z.strictObject({ members: z.array(memberResource), next_cursor: nextCursor }),
  status: 200,
  scope: "read",
  role: "viewer",
});

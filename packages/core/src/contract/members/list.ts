import { z } from "zod";
import { nextCursor } from "../fields/cursor.ts";
import { pageQuery } from "../fields/page-query.ts";
import { operation } from "../operation.ts";
import { memberResource } from "./resource.ts";

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

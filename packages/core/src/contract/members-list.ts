import { z } from "zod";
import { memberResource } from "./members-resource.ts";
import { operation } from "./operation.ts";

export const membersList = operation({
  id: "members.list",
  method: "GET",
  path: "/api/members",
  summary: "Who belongs to the organization, and who is invited",
  output: z.strictObject({ members: z.array(memberResource) }),
  status: 200,
  scope: "read",
  role: "viewer",
});

import { z } from "zod";
import { memberResource } from "./members-resource.ts";
import { idParams } from "./object-id.ts";
import { operation, roles } from "./operation.ts";

export const membersUpdate = operation({
  id: "members.update",
  method: "PATCH",
  path: "/api/members/:id",
  summary: "Change a member's role",
  params: idParams,
  body: z.strictObject({ role: z.enum(roles) }),
  output: memberResource,
  status: 200,
  scope: "write",
  role: "owner",
});

import { z } from "zod";
import { idParams } from "../fields/object-id.ts";
import { operation, roles } from "../operation.ts";
import { memberResource } from "./resource.ts";

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

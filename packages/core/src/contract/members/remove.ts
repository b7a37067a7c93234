import { idParams } from "../fields/object-id.ts";
import { operation } from "../operation.ts";

export const membersRemove = operation({
  id: "members.remove",
  method: "DELETE",
  path: "/api/members/:id",
  summary: "Remove a member, or take back an invitation",
  params: idParams,
  status: 204,
  scope: "write",
  role: "owner",
});

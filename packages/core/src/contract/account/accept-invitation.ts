import { z } from "zod";
import { objectId } from "../fields/object-id.ts";
import { memberResource } from "../members/operations.ts";
import { operation } from "../operation.ts";

export const accountAcceptInvitation = operation({
  id: "account.accept_invitation",
  method: "POST",
  path: "/api/account/invitations/:id/accept",
  summary: "Accept an invitation, with the code of the link that the inviter gave",
  params: z.strictObject({ id: objectId }),
  output: memberResource,
  status: 200,
  scope: "write",
  role: "viewer",
  isForPeople: true,
});

import { z } from "zod";
import { memberEmail, memberResource } from "./members-resource.ts";
import { operation, roles } from "./operation.ts";

export const membersInvite = operation({
  id: "members.invite",
  method: "POST",
  path: "/api/members",
  summary: "Invite somebody by e-mail address",
  body: z.strictObject({ email: memberEmail, role: z.enum(roles) }),
  output: z.strictObject({
    ...memberResource.shape,
    sign_in_url: z.string().optional().meta({
      description: "Shown once, for somebody who had no account: give it to them, it signs in once",
    }),
    accept_url: z.string().optional().meta({
      description: "For somebody who has an account, here or at the identity provider: they accept there",
    }),
  }),
  status: 201,
  scope: "write",
  role: "owner",
});

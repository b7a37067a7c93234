import { z } from "zod";
import { operation, roles } from "../operation.ts";
import { memberEmail, memberResource } from "./resource.ts";

export const membersInvite = operation({
  id: "members.invite",
  method: "POST",
  path: "/api/members",
  summary: "Invite somebody by e-mail address",
  body: z.strictObject({ email: memberEmail, role: z.enum(roles) }),
  output: z.strictObject({
    ...memberResource.shape,
    accept_url: z.string().meta({
      description: "Shown once, valid for 7 days: give it to the person, who accepts there",
    }),
  }),
  status: 201,
  scope: "write",
  role: "owner",
});

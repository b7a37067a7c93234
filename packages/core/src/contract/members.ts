import { z } from "zod";
import { isoTime } from "./fields/iso-time.ts";
import { idParams } from "./fields/object-id.ts";
import { nextCursor, pageQuery } from "./fields/paging.ts";
import { declareOperations, readAccess, roles } from "./operation.ts";

export const memberResource = z
  .strictObject({
    id: z.string(),
    email: z.string(),
    role: z.enum(roles),
    status: z.enum(["active", "invited"]),
    created_at: isoTime,
  })
  .meta({ id: "Member" });

/** Of a new member: an address as mail understands it. Addresses are compared in lower case. */
const memberEmail = z.string().trim().toLowerCase().pipe(z.email().max(320)).meta({ format: "email" });

export const memberOperations = declareOperations({
  "members.invite": {
    method: "POST",
    path: "/api/members",
    summary: "Invite somebody by e-mail address",
    body: z.strictObject({ email: memberEmail, role: z.enum(roles) }),
    output: z.strictObject({
      ...memberResource.shape,
      accept_url: z.string().meta({
        description: "Shown only once, valid for 7 days; the invited person opens it to accept",
      }),
    }),
    status: 201,
    scope: "write",
    role: "owner",
    isOrganizationWide: true,
  },
  "members.list": {
    method: "GET",
    path: "/api/members",
    summary: "Members of the organization and open invitations, paged",
    query: pageQuery,
    output: z.strictObject({ members: z.array(memberResource), next_cursor: nextCursor }),
    ...readAccess,
  },
  "members.remove": {
    method: "DELETE",
    path: "/api/members/:id",
    summary: "Remove a member, or revoke an invitation",
    params: idParams,
    scope: "write",
    role: "owner",
    isOrganizationWide: true,
  },
  "members.sign_out": {
    method: "POST",
    path: "/api/members/:id/sign-out",
    summary: "End a member's sessions for this organization; they have to sign in again",
    params: idParams,
    scope: "write",
    role: "owner",
    isOrganizationWide: true,
  },
  "members.update": {
    method: "PATCH",
    path: "/api/members/:id",
    summary: "Change a member's role",
    params: idParams,
    body: z.strictObject({ role: z.enum(roles) }),
    output: memberResource,
    scope: "write",
    role: "owner",
    isOrganizationWide: true,
  },
});

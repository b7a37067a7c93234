import { z } from "zod";
import { isoTime } from "./fields/iso-time.ts";
import { idParams, objectId } from "./fields/object-id.ts";
import { memberResource } from "./members.ts";
import { declareOperations, readAccess, roles } from "./operation.ts";

export const accountOperations = declareOperations({
  "account.accept_invitation": {
    method: "POST",
    path: "/api/account/invitations/:id/accept",
    summary: "Accept an invitation with the code from its link",
    params: z.strictObject({ id: objectId }),
    hasSecretPath: true,
    changesAnotherOrganization: true,
    output: memberResource,
    scope: "write",
    role: "viewer",
    isForPeople: true,
  },
  "account.get": {
    method: "GET",
    path: "/api/account",
    summary: "The caller and their organizations",
    output: z.strictObject({
      user: z
        .strictObject({
          id: z.string(),
          email: z.string(),
          name: z.string(),
          has_password: z.boolean(),
          external: z.boolean().meta({ description: "Signs in at the identity provider" }),
        })
        .nullable()
        .meta({ description: "null: the caller is an API key" }),
      key: z
        .strictObject({ id: z.string(), scope: z.enum(["read", "write"]) })
        .nullable()
        .meta({ description: "null: the caller is a person" }),
      organization: z.strictObject({ id: z.string(), name: z.string() }),
      mode: z.enum(["live", "test"]),
      memberships: z
        .array(
          z.strictObject({
            organization: z.strictObject({ id: z.string(), name: z.string(), status: z.string() }),
            role: z.enum(roles),
          }),
        )
        .meta({ description: "Oldest first; the header X-Organization-ID chooses among them" }),
    }),
    ...readAccess,
  },
  "account.switch_organization": {
    method: "POST",
    path: "/api/account/organization",
    summary: "Switch this session to another organization of the caller",
    body: z.strictObject({ organization_id: objectId }),
    output: z.strictObject({
      organization: z.strictObject({ id: z.string(), name: z.string() }),
      role: z.enum(roles),
    }),
    scope: "write",
    role: "viewer",
    isForPeople: true,
  },
  "account.sessions.end": {
    method: "DELETE",
    path: "/api/account/sessions/:id",
    summary: "End a session on another device",
    params: idParams,
    scope: "write",
    role: "viewer",
    isForPeople: true,
  },
  "account.sessions.list": {
    method: "GET",
    path: "/api/account/sessions",
    summary: "Sessions of the account, newest first; at most 100",
    output: z.strictObject({
      sessions: z.array(
        z.strictObject({
          id: z.string(),
          current: z.boolean(),
          user_agent: z.string().nullable(),
          created_at: isoTime,
          expires_at: isoTime,
        }),
      ),
    }),
    ...readAccess,
    isForPeople: true,
  },
  "account.set_password": {
    method: "POST",
    path: "/api/account/password",
    summary: "Set or change the password; ends every other session of the account",
    body: z.strictObject({
      password: z.string().min(8).max(128),
      current_password: z
        .string()
        .min(1)
        .max(1024)
        .optional()
        .meta({ description: "Required if the account has a password" }),
    }),
    scope: "write",
    role: "viewer",
    isForPeople: true,
  },
});

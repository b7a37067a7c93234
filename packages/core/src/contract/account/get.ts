import { z } from "zod";
import { operation, roles } from "../operation.ts";

export const accountGet = operation({
  id: "account.get",
  method: "GET",
  path: "/api/account",
  summary: "Who is asking, and where they belong",
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
      .meta({ description: "null: an API key asks" }),
    key: z
      .strictObject({ id: z.string(), scope: z.enum(["read", "write"]) })
      .nullable()
      .meta({ description: "null: a person asks" }),
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
  status: 200,
  scope: "read",
  role: "viewer",
});

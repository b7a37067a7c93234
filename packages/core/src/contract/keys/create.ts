import { z } from "zod";
import { operation } from "../operation.ts";
import { keyResource } from "./resource.ts";

export const keysCreate = operation({
  id: "keys.create",
  method: "POST",
  path: "/api/keys",
  summary: "Make an API key; its text is shown this once",
  body: z.strictObject({
    name: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .regex(/^\P{Cc}*$/u, "must not contain control characters")
      .optional(),
    mode: z.enum(["live", "test"]).optional().meta({ description: "By default the caller's own" }),
    scope: z.enum(["read", "write"]).default("write"),
  }),
  output: z.strictObject({ ...keyResource.shape, key: z.string() }),
  status: 201,
  scope: "write",
  role: "admin",
});

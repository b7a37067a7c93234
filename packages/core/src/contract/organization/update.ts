import { z } from "zod";
import { operation } from "../operation.ts";
import { organizationResource } from "./resource.ts";

export const organizationUpdate = operation({
  id: "organization.update",
  method: "PATCH",
  path: "/api/organization",
  summary: "Rename the organization",
  body: z.strictObject({
    name: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .regex(/^\P{Cc}*$/u, "must not contain control characters"),
  }),
  output: organizationResource,
  status: 200,
  scope: "write",
  role: "owner",
});

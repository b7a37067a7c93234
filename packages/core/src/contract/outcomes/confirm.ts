import { z } from "zod";
import { idParams } from "../fields/object-id.ts";
import { operation } from "../operation.ts";
import { outcomeResource } from "./resource.ts";

export const outcomesConfirm = operation({
  id: "outcomes.confirm",
  method: "POST",
  path: "/api/outcomes/:id/confirm",
  summary: "Confirm an outcome; a second confirmation keeps the first",
  params: idParams,
  body: z.strictObject({ confirmed_by: z.string().trim().min(1).max(256).optional() }),
  output: outcomeResource,
  status: 200,
  scope: "write",
  role: "admin",
});

import { z } from "zod";
import { idParams } from "../fields/object-id.ts";
import { operation } from "../operation.ts";
import { experimentResource } from "./resource.ts";

export const experimentsStop = operation({
  id: "experiments.stop",
  method: "POST",
  path: "/api/experiments/:id/stop",
  summary: "End an experiment and keep its results; a treatment that won can be made the agent's model",
  params: idParams,
  body: z.strictObject({
    promote_winner: z.boolean().default(false),
  }),
  output: z.strictObject({
    status: z.enum(["completed", "cancelled"]).meta({ description: "Cancelled: an arm had no calls" }),
    promoted: z.boolean(),
    message: z.string(),
    experiment: experimentResource,
  }),
  status: 200,
  scope: "write",
  role: "admin",
});

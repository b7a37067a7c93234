import { z } from "zod";
import { jsonObject } from "../fields/json-object.ts";
import { idParams } from "../fields/object-id.ts";
import { operation } from "../operation.ts";
import { agentResource } from "./resource.ts";

export const agentsUpdate = operation({
  id: "agents.update",
  method: "PATCH",
  path: "/api/agents/:id",
  summary: "Name, describe or archive an agent",
  params: idParams,
  body: z.strictObject({
    name: z.string().trim().min(1).max(256).optional(),
    metadata: jsonObject
      .optional()
      .meta({ description: "Replaces the metadata; `category` is what agents are filtered by" }),
    archived: z.boolean().optional(),
  }),
  output: agentResource,
  status: 200,
  scope: "write",
  role: "admin",
});

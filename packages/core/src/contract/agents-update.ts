import { z } from "zod";
import { agentResource } from "./agent-resource.ts";
import { jsonObject } from "./json-object.ts";
import { idParams } from "./object-id.ts";
import { operation } from "./operation.ts";

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

import { z } from "zod";
import { agentStatuses } from "../agent-status.ts";
import { agentResource } from "./agent-resource.ts";
import { operation } from "./operation.ts";

export const agentsList = operation({
  id: "agents.list",
  method: "GET",
  path: "/api/agents",
  summary: "All agents",
  query: z.strictObject({
    status: z.enum(agentStatuses).optional(),
    category: z.string().min(1).max(256).optional(),
  }),
  output: z.strictObject({ agents: z.array(agentResource) }),
  status: 200,
  scope: "read",
  role: "viewer",
});

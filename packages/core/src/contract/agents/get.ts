import { idParams } from "../fields/object-id.ts";
import { operation } from "../operation.ts";
import { agentResource } from "./resource.ts";

export const agentsGet = operation({
  id: "agents.get",
  method: "GET",
  path: "/api/agents/:id",
  summary: "One agent",
  params: idParams,
  output: agentResource,
  status: 200,
  scope: "read",
  role: "viewer",
});

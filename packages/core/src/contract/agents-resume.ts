import { agentResource } from "./agent-resource.ts";
import { idParams } from "./object-id.ts";
import { operation } from "./operation.ts";

export const agentsResume = operation({
  id: "agents.resume",
  method: "POST",
  path: "/api/agents/:id/resume",
  summary: "Let a paused agent call again",
  params: idParams,
  output: agentResource,
  status: 200,
  scope: "write",
  role: "admin",
});

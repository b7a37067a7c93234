import { idParams } from "../fields/object-id.ts";
import { operation } from "../operation.ts";
import { agentResource } from "./resource.ts";

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

import { experimentResource } from "./experiment-resource.ts";
import { idParams } from "./object-id.ts";
import { operation } from "./operation.ts";

export const experimentsPause = operation({
  id: "experiments.pause",
  method: "POST",
  path: "/api/experiments/:id/pause",
  summary: "Send all calls to the agent's own model for now; the end stays where it is",
  params: idParams,
  output: experimentResource,
  status: 200,
  scope: "write",
  role: "admin",
});

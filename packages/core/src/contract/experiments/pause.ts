import { idParams } from "../fields/object-id.ts";
import { operation } from "../operation.ts";
import { experimentResource } from "./resource.ts";

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

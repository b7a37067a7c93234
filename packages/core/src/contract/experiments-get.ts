import { experimentResource } from "./experiment-resource.ts";
import { idParams } from "./object-id.ts";
import { operation } from "./operation.ts";

export const experimentsGet = operation({
  id: "experiments.get",
  method: "GET",
  path: "/api/experiments/:id",
  summary: "One experiment and its results",
  params: idParams,
  output: experimentResource,
  status: 200,
  scope: "read",
  role: "viewer",
});

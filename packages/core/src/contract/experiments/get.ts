import { idParams } from "../fields/object-id.ts";
import { operation } from "../operation.ts";
import { experimentResource } from "./resource.ts";

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

import { idParams } from "../fields/object-id.ts";
import { operation } from "../operation.ts";
import { experimentResource } from "./resource.ts";

export const experimentsResume = operation({
  id: "experiments.resume",
  method: "POST",
  path: "/api/experiments/:id/resume",
  summary: "Go on with a paused experiment",
  params: idParams,
  output: experimentResource,
  status: 200,
  scope: "write",
  role: "admin",
});

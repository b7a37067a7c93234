import { idParams } from "../fields/object-id.ts";
import { operation } from "../operation.ts";
import { costExplanationResource } from "./cost-explanation-resource.ts";

export const eventsCost = operation({
  id: "events.cost",
  method: "GET",
  path: "/api/events/:id/cost",
  summary: "Why an event costs what it costs: every line, its rate and where the rate comes from",
  params: idParams,
  output: costExplanationResource,
  status: 200,
  scope: "read",
  role: "viewer",
});

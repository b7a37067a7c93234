import { idParams } from "../fields/object-id.ts";
import { operation } from "../operation.ts";
import { outcomeResource } from "./resource.ts";

export const outcomesGet = operation({
  id: "outcomes.get",
  method: "GET",
  path: "/api/outcomes/:id",
  summary: "One outcome",
  params: idParams,
  output: outcomeResource,
  status: 200,
  scope: "read",
  role: "viewer",
});

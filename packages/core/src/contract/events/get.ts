import { idParams } from "../fields/object-id.ts";
import { operation } from "../operation.ts";
import { eventResource } from "./resource.ts";

export const eventsGet = operation({
  id: "events.get",
  method: "GET",
  path: "/api/events/:id",
  summary: "One event",
  params: idParams,
  output: eventResource,
  status: 200,
  scope: "read",
  role: "viewer",
});

import { callerIdParams } from "../fields/object-id.ts";
import { operation } from "../operation.ts";
import { sessionResource } from "./session-resource.ts";

export const sessionsGet = operation({
  id: "sessions.get",
  method: "GET",
  path: "/api/sessions/:id",
  summary: "One session and its cost",
  params: callerIdParams,
  output: sessionResource,
  status: 200,
  scope: "read",
  role: "viewer",
});

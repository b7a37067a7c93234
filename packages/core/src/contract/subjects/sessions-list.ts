import { z } from "zod";
import { nextCursor } from "../fields/cursor.ts";
import { operation } from "../operation.ts";
import { subjectPageQuery } from "./page-query.ts";
import { sessionResource } from "./session-resource.ts";

export const sessionsList = operation({
  id: "sessions.list",
  method: "GET",
  path: "/api/sessions",
  summary: "Sessions that were active within the window, latest activity first",
  query: subjectPageQuery,
  output: z.strictObject({ sessions: z.array(sessionResource), next_cursor: nextCursor }),
  status: 200,
  scope: "read",
  role: "viewer",
});

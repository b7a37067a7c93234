import { z } from "zod";
import { cursorInput, nextCursor } from "./cursor.ts";
import { callerId, objectId } from "./object-id.ts";
import { operation } from "./operation.ts";
import { outcomeResource } from "./outcome-resource.ts";
import { pageLimit } from "./page-limit.ts";

export const outcomesList = operation({
  id: "outcomes.list",
  method: "GET",
  path: "/api/outcomes",
  summary: "Outcomes, newest first",
  query: z.strictObject({
    session_id: callerId.optional(),
    agent_id: objectId.optional(),
    confirmed: z.boolean().optional(),
    limit: pageLimit(200),
    cursor: cursorInput.optional(),
  }),
  output: z.strictObject({ outcomes: z.array(outcomeResource), next_cursor: nextCursor }),
  status: 200,
  scope: "read",
  role: "viewer",
});

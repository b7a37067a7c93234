import { z } from "zod";
import { cursorInput, nextCursor } from "../fields/cursor.ts";
import { callerId, objectId } from "../fields/object-id.ts";
import { pageLimit } from "../fields/page-limit.ts";
import { operation } from "../operation.ts";
import { outcomeResource } from "./resource.ts";

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

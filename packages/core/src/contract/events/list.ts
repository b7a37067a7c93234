import { z } from "zod";
import { nextCursor, sealedCursorInput } from "../fields/cursor.ts";
import { pageLimit } from "../fields/page-limit.ts";
import { operation } from "../operation.ts";
import { eventFilterQuery } from "./filter-query.ts";
import { eventResource } from "./resource.ts";

export const eventsList = operation({
  id: "events.list",
  method: "GET",
  path: "/api/events",
  summary: "Events, newest first; following the cursor shows each exactly once",
  query: z.strictObject({
    ...eventFilterQuery,
    limit: pageLimit(500),
    cursor: sealedCursorInput.optional(),
  }),
  output: z.strictObject({ events: z.array(eventResource), next_cursor: nextCursor }),
  status: 200,
  scope: "read",
  role: "viewer",
});

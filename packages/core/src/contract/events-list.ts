import { z } from "zod";
import { nextCursor, positionInput } from "./cursor.ts";
import { eventFilterQuery } from "./event-filter-query.ts";
import { eventResource } from "./event-resource.ts";
import { operation } from "./operation.ts";

export const eventsList = operation({
  id: "events.list",
  method: "GET",
  path: "/api/events",
  summary: "Events, newest first; following the cursor shows each exactly once",
  query: z.strictObject({
    ...eventFilterQuery,
    limit: z.int().min(1).max(500).default(50),
    cursor: positionInput.optional(),
  }),
  output: z.strictObject({ events: z.array(eventResource), next_cursor: nextCursor }),
  status: 200,
  scope: "read",
  role: "viewer",
});

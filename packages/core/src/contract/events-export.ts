import { z } from "zod";
import { eventFilterQuery } from "./event-filter-query.ts";
import { operation } from "./operation.ts";

export const eventsExport = operation({
  id: "events.export",
  method: "GET",
  path: "/api/events/export",
  summary: "All matching events as a file",
  query: z.strictObject({ ...eventFilterQuery, format: z.enum(["csv", "json"]).default("csv") }),
  status: 200,
  produces: ["text/csv", "application/json"],
  scope: "read",
  role: "viewer",
});

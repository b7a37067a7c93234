import { z } from "zod";
import { operation } from "../operation.ts";
import { eventFilterQuery } from "./filter-query.ts";

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

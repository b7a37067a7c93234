import { z } from "zod";
import { alertSeverities, alertTypes } from "../../alerts/alert-types.ts";
import { pageLimit } from "../fields/page-limit.ts";
import { operation } from "../operation.ts";
import { alertResource } from "./resource.ts";

export const alertsList = operation({
  id: "alerts.list",
  method: "GET",
  path: "/api/alerts",
  summary: "Alerts, newest first",
  query: z.strictObject({
    limit: pageLimit(200),
    offset: z.int().min(0).default(0),
    type: z.enum(alertTypes).optional(),
    severity: z.enum(alertSeverities).optional(),
    unread_only: z.boolean().default(false),
  }),
  output: z.strictObject({ alerts: z.array(alertResource) }),
  status: 200,
  scope: "read",
  role: "viewer",
});

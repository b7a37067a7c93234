import { dashboardGet } from "./dashboard-get.ts";
import { analyticsGet } from "./get.ts";

export const analyticsOperations = {
  "analytics.get": analyticsGet,
  "dashboard.get": dashboardGet,
} as const;

import type { analyticsOperations } from "@tollgate/core/contract/analytics";
import type { Handlers } from "../kernel/handler.ts";
import { dashboardGet } from "./dashboard-get.ts";
import { analyticsGet } from "./get.ts";

export const analyticsHandlers: Handlers<typeof analyticsOperations> = {
  "analytics.get": analyticsGet,
  "dashboard.get": dashboardGet,
};

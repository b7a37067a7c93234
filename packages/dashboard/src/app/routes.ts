import { agentRoute } from "../pages/agents/agent-route.ts";
import { agentsRoute } from "../pages/agents/route.ts";
import { alertIndexRoute, alertListRoute, alertRoute } from "../pages/alerts/list-route.ts";
import { predictionsRoute } from "../pages/alerts/predictions-route.ts";
import { alertsRoute } from "../pages/alerts/route.ts";
import { alertSettingsRoute } from "../pages/alerts/settings-route.ts";
import { budgetRoute } from "../pages/budgets/budget-route.ts";
import { budgetsRoute } from "../pages/budgets/route.ts";
import { callRoute } from "../pages/calls/call-route.ts";
import { callsRoute } from "../pages/calls/route.ts";
import { customerRoute } from "../pages/customers/customer-route.ts";
import { customersRoute } from "../pages/customers/route.ts";
import { developerRoutes } from "../pages/developers/route.ts";
import { modelRoute } from "../pages/models/model-route.ts";
import { modelsRoute } from "../pages/models/route.ts";
import { overviewRoute } from "../pages/overview/route.ts";
import { reportRoute } from "../pages/report/route.ts";
import {
  decisionsRoute,
  experimentsRoute,
  leaksRoute,
  suggestionsRoute,
  verificationRequestRoute,
  verificationRoute,
} from "../pages/savings/part-route.ts";
import { savingsRoute } from "../pages/savings/route.ts";
import { sessionsRoute } from "../pages/sessions/route.ts";
import { sessionRoute } from "../pages/sessions/session-route.ts";
import { settingsRoutes } from "../pages/settings/route.ts";
import { topologyRoute } from "../pages/topology/route.ts";

/** Every page, in the order of the navigation. */
export const routes = [
  overviewRoute,
  callsRoute.addChildren([callRoute]),
  agentsRoute,
  agentRoute,
  customersRoute,
  customerRoute,
  sessionsRoute,
  sessionRoute,
  modelsRoute.addChildren([modelRoute]),
  budgetsRoute.addChildren([budgetRoute]),
  savingsRoute.addChildren([
    decisionsRoute,
    suggestionsRoute,
    leaksRoute,
    experimentsRoute,
    verificationRoute.addChildren([verificationRequestRoute]),
  ]),
  alertsRoute.addChildren([
    alertListRoute.addChildren([alertIndexRoute, alertRoute]),
    predictionsRoute,
    alertSettingsRoute,
  ]),
  topologyRoute,
  reportRoute,
  developerRoutes,
  settingsRoutes,
] as const;

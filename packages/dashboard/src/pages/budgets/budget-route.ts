import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { budgetsRoute } from "./route.ts";

/** One budget, in a panel beside the list. */
export const budgetRoute = createRoute({
  getParentRoute: () => budgetsRoute,
  path: "$budgetId",
  component: lazyRouteComponent(() => import("./budget-panel.tsx"), "BudgetPanel"),
});

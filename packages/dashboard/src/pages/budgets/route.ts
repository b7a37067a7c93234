import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.tsx";

export const budgetsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/budgets",
  staticData: {
    title: "Budgets",
    icon: "budgets",
    key: "b",
    hasRange: true,
    filters: ["agent", "customer", "key"],
  },
  component: lazyRouteComponent(() => import("./budgets-page.tsx"), "BudgetsPage"),
});

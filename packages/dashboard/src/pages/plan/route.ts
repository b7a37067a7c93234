import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.tsx";

/** Where a refusal for the tier's limits sends people. */
export const planRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/settings/plan",
  staticData: { title: "Tiers" },
  component: lazyRouteComponent(() => import("./plan-page.tsx"), "PlanPage"),
});

import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.tsx";

export const savingsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/savings",
  staticData: { title: "Savings", icon: "savings", key: "v", hasTabs: true },
  component: lazyRouteComponent(() => import("./savings-page.tsx"), "SavingsPage"),
});

import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.tsx";

export const sessionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sessions",
  staticData: {
    title: "Sessions",
    icon: "sessions",
    key: "s",
    hasRange: true,
    filters: ["customer", "agent"],
  },
  component: lazyRouteComponent(() => import("./sessions-page.tsx"), "SessionsPage"),
});

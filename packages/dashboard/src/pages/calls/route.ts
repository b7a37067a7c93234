import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.tsx";
import { readShow } from "./show.ts";

export const callsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/calls",
  staticData: {
    title: "Calls",
    icon: "calls",
    key: "c",
    hasRange: true,
    filters: ["agent", "customer", "session", "model", "provider", "key", "status"],
  },
  validateSearch: readShow,
  component: lazyRouteComponent(() => import("./calls-page.tsx"), "CallsPage"),
});

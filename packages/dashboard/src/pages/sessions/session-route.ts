import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.tsx";

export const sessionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sessions/$sessionId",
  staticData: { title: "Session" },
  component: lazyRouteComponent(() => import("./session-page.tsx"), "SessionPage"),
});

import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { filterNames } from "../../data/view-search.ts";
import { rootRoute } from "../../frame/root-route.tsx";
import { readGroup } from "./groups.ts";

export const overviewRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  staticData: { title: "Overview", icon: "overview", key: "o", hasRange: true, filters: filterNames },
  validateSearch: readGroup,
  component: lazyRouteComponent(() => import("./overview-page.tsx"), "OverviewPage"),
});

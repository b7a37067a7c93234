import { createRoute } from "@tanstack/react-router";
import { filterNames } from "../../data/view-search.ts";
import { rootRoute } from "../../frame/root-route.tsx";
import { readGroup } from "./groups.ts";
import { OverviewPage } from "./overview-page.tsx";

export const overviewRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  staticData: { title: "Overview", icon: "overview", key: "o", hasRange: true, filters: filterNames },
  validateSearch: readGroup,
  // Not lazy, unlike all others: most people open it first, and other pages share most of its parts.
  component: OverviewPage,
});

import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.tsx";

const settingsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/settings",
  staticData: { title: "Settings", icon: "settings", key: "e", hasTabs: true },
  component: lazyRouteComponent(() => import("./settings-page.tsx"), "SettingsPage"),
});

const organizationRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/",
  component: lazyRouteComponent(() => import("./organization.tsx"), "Organization"),
});

const membersRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "members",
  component: lazyRouteComponent(() => import("./members.tsx"), "Members"),
});

/** Refusals for a tier's limits lead here. */
const planRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "plan",
  component: lazyRouteComponent(() => import("./plan.tsx"), "Plan"),
});

/** The organization's own prices, and reratings of the time range. */
const pricesRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "prices",
  staticData: { hasRange: true, filters: ["model", "provider"] },
  component: lazyRouteComponent(() => import("./prices.tsx"), "Prices"),
});

const signInRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "sign-in",
  component: lazyRouteComponent(() => import("./sign-in.tsx"), "SignIn"),
});

const auditRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "audit",
  component: lazyRouteComponent(() => import("./audit-log.tsx"), "AuditLog"),
});

export const settingsRoutes = settingsRoute.addChildren([
  organizationRoute,
  membersRoute,
  planRoute,
  pricesRoute,
  signInRoute,
  auditRoute,
]);

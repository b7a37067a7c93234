import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.tsx";

const developersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/developers",
  staticData: { title: "Developers", icon: "developers", key: "d" },
  component: lazyRouteComponent(() => import("./developers-page.tsx"), "DevelopersPage"),
});

const keysRoute = createRoute({
  getParentRoute: () => developersRoute,
  path: "/",
  component: lazyRouteComponent(() => import("./keys.tsx"), "Keys"),
});

const connectRoute = createRoute({
  getParentRoute: () => developersRoute,
  path: "connect",
  component: lazyRouteComponent(() => import("./connect.tsx"), "Connect"),
});

const webhooksRoute = createRoute({
  getParentRoute: () => developersRoute,
  path: "webhooks",
  component: lazyRouteComponent(() => import("./webhooks.tsx"), "Webhooks"),
});

/** One webhook, in a panel beside the list. */
const webhookRoute = createRoute({
  getParentRoute: () => webhooksRoute,
  path: "$webhookId",
  component: lazyRouteComponent(() => import("./webhook-panel.tsx"), "WebhookPanel"),
});

const toolsRoute = createRoute({
  getParentRoute: () => developersRoute,
  path: "tools",
  component: lazyRouteComponent(() => import("./tools.tsx"), "Tools"),
});

export const developerRoutes = developersRoute.addChildren([
  keysRoute,
  connectRoute,
  webhooksRoute.addChildren([webhookRoute]),
  toolsRoute,
]);

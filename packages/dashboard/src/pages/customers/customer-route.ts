import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.tsx";

export const customerRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/customers/$customerId",
  staticData: { title: "Customer", hasRange: true },
  component: lazyRouteComponent(() => import("./customer-page.tsx"), "CustomerPage"),
});

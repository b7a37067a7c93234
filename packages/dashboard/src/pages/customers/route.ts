import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../frame/root-route.tsx";

export const customersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/customers",
  staticData: {
    title: "Customers",
    icon: "customers",
    key: "u",
    hasRange: true,
    filters: ["agent", "model", "provider", "key", "status", "source"],
  },
  component: lazyRouteComponent(() => import("./customers-page.tsx"), "CustomersPage"),
});

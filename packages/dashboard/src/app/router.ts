import { createRouter } from "@tanstack/react-router";
import { parseQuery, writeQuery } from "../data/view-search.ts";
import { Broken } from "../frame/broken.tsx";
import { rootRoute } from "../frame/root-route.tsx";
import { routes } from "./routes.ts";

export function createAppRouter() {
  return createRouter({
    routeTree: rootRoute.addChildren(routes),
    parseSearch: parseQuery,
    stringifySearch: writeQuery,
    defaultPreload: "intent",
    defaultErrorComponent: Broken,
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}

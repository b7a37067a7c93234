import { createRootRoute, retainSearchParams } from "@tanstack/react-router";
import { type FilterName, readViewSearch, viewSearchNames } from "../data/view-search.ts";
import type { IconName } from "../parts/icon.tsx";
import { Broken } from "./broken.tsx";
import { NotFound } from "./not-found.tsx";
import { Root } from "./root.tsx";

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption {
    /** Of the page: in the navigation, the palette and the browser's title. */
    readonly title?: string;
    /** A page with an icon is in the navigation, in the order of the route list. */
    readonly icon?: IconName;
    /** Filters that the page applies; only these are offered on it. */
    readonly filters?: readonly FilterName[];
    /** Its parts share a bar of tabs, and their filters stand below that: tabs must not move between parts. */
    readonly hasTabs?: boolean;
    /** The page's data has a time range. */
    readonly hasRange?: boolean;
    /** The key to press after `g`. */
    readonly key?: string;
  }
}

/** Above every page: range, filters and mode of the URL, kept by every link. */
export const rootRoute = createRootRoute({
  validateSearch: readViewSearch,
  search: { middlewares: [retainSearchParams([...viewSearchNames])] },
  component: Root,
  notFoundComponent: NotFound,
  errorComponent: Broken,
});

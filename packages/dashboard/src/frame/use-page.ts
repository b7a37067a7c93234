import { type StaticDataRouteOption, useMatches } from "@tanstack/react-router";

/** What the open page says of itself; a part of it adds to that. */
export function usePage(): StaticDataRouteOption {
  return Object.assign({}, ...useMatches().map(({ staticData }) => staticData));
}

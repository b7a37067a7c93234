import { type StaticDataRouteOption, useMatches } from "@tanstack/react-router";

/** Static data of the open page, with that of its open part merged in. */
export function usePage(): StaticDataRouteOption {
  return Object.assign({}, ...useMatches().map(({ staticData }) => staticData));
}

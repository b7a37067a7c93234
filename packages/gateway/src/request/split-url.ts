import type { Endpoint } from "./routed.ts";

/** Path and query of a request, without building a URL object. */
export function splitUrl(url: string): { path: string; query: string } {
  const pathStart = url.indexOf("/", url.indexOf("//") + 2);
  if (pathStart === -1) return { path: "/", query: "" };
  const queryStart = url.indexOf("?", pathStart);
  if (queryStart === -1) return { path: url.slice(pathStart), query: "" };
  return { path: url.slice(pathStart, queryStart), query: url.slice(queryStart) };
}

/** The part of the query that is forwarded to the provider. */
export function queryFor(endpoint: Endpoint, request: Request): string {
  return endpoint.forwardsQuery ? splitUrl(request.url).query : "";
}

import type { QueryClient } from "@tanstack/react-query";
import { clientOf, type Scope, type ScopedClient } from "./scope.tsx";
import { operationQuery } from "./use-operation.ts";

/** The signed-in account and its organization; every other query waits for these. */
export const accountQuery = (scoped: ScopedClient) => operationQuery(scoped, "account.get", {});
export const organizationQuery = (scoped: ScopedClient) => operationQuery(scoped, "organization.get", {});

/** Before the first rendering, which waits for the answers. */
export function askWhoIsSignedIn(queries: QueryClient, scope: Scope): void {
  const scoped = { scope, client: clientOf(scope) };
  void queries.prefetchQuery(accountQuery(scoped));
  void queries.prefetchQuery(organizationQuery(scoped));
}

import type { Mode } from "@tollgate/core/event";
import { type Client, createClient } from "@tollgate/sdk/client";
import { createContext, type ReactNode, useContext, useMemo } from "react";
import { askServer } from "./ask-server.ts";
import type { ViewSearch } from "./view-search.ts";

/** Organization and mode of the shown data. */
export interface Scope {
  /** undefined: the account's first organization. */
  readonly organizationId: string | undefined;
  readonly mode: Mode;
}

export function scopeOf({ org, mode }: ViewSearch): Scope {
  return { organizationId: org, mode: mode ?? "live" };
}

export interface ScopedClient {
  readonly scope: Scope;
  readonly client: Client;
}

const ScopeContext = createContext<ScopedClient | null>(null);

export function ScopeProvider({
  organizationId,
  mode,
  children,
}: Scope & { readonly children: ReactNode }): ReactNode {
  const value = useMemo(() => {
    const scope = { organizationId, mode };
    return { scope, client: clientOf(scope) };
  }, [organizationId, mode]);
  return <ScopeContext value={value}>{children}</ScopeContext>;
}

export function clientOf({ organizationId, mode }: Scope): Client {
  return createClient({
    baseUrl: location.origin,
    mode,
    fetch: askServer,
    // The query cache retries, and says so on the page.
    retries: 0,
    ...(organizationId === undefined ? {} : { headers: { "x-organization-id": organizationId } }),
  });
}

export function useScopedClient(): ScopedClient {
  const value = useContext(ScopeContext);
  if (value === null) throw new Error("there is no scope here");
  return value;
}

export const useScope = (): Scope => useScopedClient().scope;

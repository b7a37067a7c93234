import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { Outlet, useNavigate, useSearch } from "@tanstack/react-router";
import { ClientError } from "@tollgate/sdk/client-error";
import { useCallback, useMemo } from "react";
import { LiveProvider } from "../data/live.tsx";
import { ScopeProvider, scopeOf, useScopedClient } from "../data/scope.tsx";
import { roleIn, SessionProvider } from "../data/session.tsx";
import { accountQuery, organizationQuery } from "../data/session-queries.ts";
import type { Output } from "../data/use-operation.ts";
import { type ViewChange, ViewProvider } from "../data/view.tsx";
import { readViewSearch, type ViewSearch } from "../data/view-search.ts";
import { Opening, Problem } from "../parts/states.tsx";
import { Frame } from "./frame.tsx";

/** Everything that a page relies on: whose data, who looks, the live channel, range and filters. */
export function Root() {
  const { organizationId, mode } = scopeOf(useViewSearch());
  return (
    // Built anew for another organization or mode: nothing of the one is ever shown in the other.
    <ScopeProvider key={`${organizationId} ${mode}`} organizationId={organizationId} mode={mode}>
      <SignedIn />
    </ScopeProvider>
  );
}

/** The router merges what was validated with what was not: it is read again. */
function useViewSearch(): ViewSearch {
  const raw = useSearch({ from: "__root__" });
  return useMemo(() => readViewSearch(raw), [raw]);
}

const ROLE_CHECK_MS = 10_000;

/** Asks once who is signed in, and where, before anything else is requested; a stranger is sent to sign in. */
function SignedIn() {
  const scoped = useScopedClient();
  // Asked for before this is rendered: a refusal by then is final, too.
  const organization = useQuery({ ...organizationQuery(scoped), retryOnMount: false });
  const account = useQuery({
    ...accountQuery(scoped),
    retryOnMount: false,
    // No message tells of a changed role.
    refetchInterval: ROLE_CHECK_MS,
  });
  const isRefused = account.error instanceof ClientError && account.error.status === 403;
  if (account.data === undefined || isRefused) return <Unanswered query={account} />;
  if (organization.data === undefined) return <Unanswered query={organization} />;
  return <InOrganization account={account.data} organization={organization.data} />;
}

function Unanswered({ query }: { readonly query: UseQueryResult<unknown> }) {
  const { organizationId } = useScopedClient().scope;
  const fault = query.error ?? query.failureReason;
  // A stranger is leaving the page.
  if (fault === null || ("status" in fault && fault.status === 401)) return <Opening />;
  // An old link, or a person who is no longer a member.
  const isElsewhere =
    organizationId !== undefined && "status" in fault && (fault.status === 403 || fault.status === 404);
  return (
    <main className="alone">
      <Problem message={fault.message} isRetrying={query.isFetching} onRetry={() => void query.refetch()} />
      {isElsewhere && (
        <p>
          <a href="/">Go to your own organization</a>
        </p>
      )}
    </main>
  );
}

interface InOrganizationProps {
  readonly account: Output<"account.get">;
  readonly organization: Output<"organization.get">;
}

function InOrganization({ account, organization }: InOrganizationProps) {
  const search = useViewSearch();
  const navigate = useNavigate();
  const change = useCallback(
    (changed: ViewChange, { replaces = false } = {}) => {
      void navigate({
        // Not ".", which leads from a path that does not exist to the start page.
        to: location.pathname,
        search: (before: object) => ({ ...before, ...changed }) as never,
        replace: replaces,
      });
    },
    [navigate],
  );
  return (
    <SessionProvider session={{ account, organization, role: roleIn(account) }}>
      <LiveProvider>
        <ViewProvider search={search} change={change}>
          <Frame>
            <Outlet />
          </Frame>
        </ViewProvider>
      </LiveProvider>
    </SessionProvider>
  );
}

import { MutationCache, notifyManager, QueryCache, QueryClient } from "@tanstack/react-query";
import { ClientError } from "@tollgate/sdk/client-error";
import { notify } from "./notices.ts";
import { goToSignIn } from "./sign-in.ts";

// By default it tells of a change in a later task: the second click of a double click could come before it, and a button
// that is busy would do what it does twice.
notifyManager.setScheduler(queueMicrotask);

const MAX_PAUSE_MS = 15_000;

/** A refusal is final; a lost connection or a restarting server is not. */
function isRetried(fault: unknown): boolean {
  return !(fault instanceof ClientError) || fault.status >= 500 || fault.status === 429;
}

function handleFault(fault: unknown): void {
  if (fault instanceof ClientError && fault.status === 401) goToSignIn();
}

export function createQueryClient(): QueryClient {
  const queries: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: handleFault }),
    mutationCache: new MutationCache({
      onError(fault, _input, _before, { meta }) {
        handleFault(fault);
        if (fault instanceof ClientError && fault.status === 403) void rereadRole(queries);
        if (meta?.isOfForm !== true) notify({ kind: "problem", text: fault.message });
      },
    }),
    defaultOptions: {
      queries: {
        // Changes arrive over the live channel, which refreshes what is shown.
        staleTime: Number.POSITIVE_INFINITY,
        gcTime: 120_000,
        refetchOnWindowFocus: false,
        networkMode: "always",
        retry: (_, fault) => isRetried(fault),
        retryDelay: attempt => Math.min(MAX_PAUSE_MS, 500 * 2 ** attempt),
      },
      mutations: { networkMode: "always", retry: false },
    },
  });
  return queries;
}

/** A button that was refused belongs to a role that the person no longer has. */
function rereadRole(queries: QueryClient): Promise<void> {
  return queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[2] === "account.get" });
}

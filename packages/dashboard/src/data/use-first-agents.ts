import { useQuery } from "@tanstack/react-query";
import type { Mode } from "@tollgate/core/event";
import { clientOf, useScope } from "./scope.tsx";
import { type Output, operationQuery } from "./use-operation.ts";

const WATCH_MS = 3000;
/** Two, because one of them may be the default agent, to which calls that name no agent belong. */
const READ = { limit: 2 };

interface FirstAgentsOptions {
  readonly enabled?: boolean;
  /** Asked for until there is one: the live channel tells only of the mode that is shown. */
  readonly isWatched?: boolean;
}

/** The first agents of a mode, shown or not. Without one there has been no call: every call has an agent. */
export function useFirstAgents(
  mode: Mode,
  { enabled = true, isWatched = false }: FirstAgentsOptions = {},
): Output<"agents.list">["agents"] | undefined {
  const scope = { ...useScope(), mode };
  return useQuery({
    ...operationQuery({ scope, client: clientOf(scope) }, "agents.list", READ),
    enabled,
    refetchInterval: ({ state }) => (isWatched && state.data?.agents.length === 0 ? WATCH_MS : false),
  }).data?.agents;
}

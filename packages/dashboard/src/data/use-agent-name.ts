import { useAreAgentsKnown, useLiveAgents } from "./live.tsx";
import { useOperation } from "./use-operation.ts";

/** An agent's name by its id; null: not known (yet). Asked for only if the live channel does not have it. */
export function useAgentName(id: string | null | undefined): string | null {
  const live = useLiveAgents().get(id ?? "");
  const areKnown = useAreAgentsKnown();
  const isAsked = id != null && live === undefined && areKnown;
  const fetched = useOperation("agents.get", { id: id ?? "" }, { enabled: isAsked });
  return live?.name ?? fetched.data?.name ?? null;
}

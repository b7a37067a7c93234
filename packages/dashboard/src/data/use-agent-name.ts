import { useLiveAgents } from "./live.tsx";
import { useOperation } from "./use-operation.ts";

/** An agent's name by its id; null: not known (yet). */
export function useAgentName(id: string | null | undefined): string | null {
  const live = useLiveAgents().get(id ?? "");
  const fetched = useOperation("agents.get", { id: id ?? "" }, { enabled: id != null && live === undefined });
  return live?.name ?? fetched.data?.name ?? null;
}

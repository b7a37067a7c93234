import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { Mode } from "@tollgate/core/event";
import { clientOf, useScope } from "./scope.tsx";

const WATCH_MS = 3000;

/** Whether the organization has had a call in a mode, shown or not. */
export async function hasCalls(organizationId: string | undefined, mode: Mode): Promise<boolean> {
  const { events } = await clientOf({ organizationId, mode }).call("events.list", { limit: 1 });
  return events.length > 0;
}

/** Watched until there is one: the live channel tells only of the mode that is shown. */
export function useHasCalls(mode: Mode): UseQueryResult<boolean> {
  const { organizationId } = useScope();
  return useQuery({
    queryKey: [organizationId ?? null, mode, "has calls"],
    queryFn: () => hasCalls(organizationId, mode),
    refetchInterval: ({ state }) => (state.data === true ? false : WATCH_MS),
  });
}

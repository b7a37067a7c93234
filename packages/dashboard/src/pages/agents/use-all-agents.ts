import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { useLiveAgents } from "../../data/live.tsx";
import { useScopedClient } from "../../data/scope.tsx";
import { type Output, operationKey } from "../../data/use-operation.ts";

export type Agent = Output<"agents.list">["agents"][number];

const PAGE_SIZE = 500;

interface AllAgents {
  /** undefined: still loading. */
  readonly agents: readonly Agent[] | undefined;
  /** How many there are, loaded or not. */
  readonly total: number | undefined;
  /** Every page of them has been loaded. */
  readonly isComplete: boolean;
  readonly fault: Error | null;
  readonly isFetching: boolean;
  retry(): void;
}

/** Every agent, page after page; what the live channel says of one is newer than the list. */
export function useAllAgents(): AllAgents {
  const { scope, client } = useScopedClient();
  const live = useLiveAgents();
  const { data, hasNextPage, isFetching, isError, fetchNextPage, refetch, failureReason } = useInfiniteQuery({
    queryKey: operationKey(scope, "agents.list", {}),
    // A fleet of thousands is not read again for every call; the live channel has what changes.
    meta: { isLive: false },
    queryFn: ({ pageParam }) =>
      client.call("agents.list", {
        limit: PAGE_SIZE,
        ...(pageParam === null ? {} : { cursor: pageParam }),
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);

  const listed = useMemo(() => data?.pages.flatMap(({ agents }) => agents), [data]);
  const ids = useMemo(() => new Set(listed?.map(({ id }) => id)), [listed]);
  const unlisted = useMemo(() => [...live.keys()].filter(id => !ids.has(id)).join(), [live, ids]);
  const isComplete = listed !== undefined && !hasNextPage;
  useEffect(() => {
    if (isComplete && unlisted !== "") void refetch();
  }, [isComplete, unlisted, refetch]);

  const agents = useMemo(
    () =>
      listed?.map(agent => {
        const { name, status, is_paused, last_call_at } = live.get(agent.id) ?? {};
        return status === undefined
          ? agent
          : {
              ...agent,
              name: name ?? agent.name,
              status,
              paused: is_paused === true,
              last_call_at: last_call_at ?? null,
            };
      }),
    [listed, live],
  );
  return {
    agents,
    total: data?.pages.at(-1)?.total,
    isComplete,
    fault: failureReason,
    isFetching,
    retry: () => void refetch(),
  };
}

import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import type { OperationId } from "@tollgate/core/contract/operations";
import { useScopedClient } from "./scope.tsx";
import {
  callOperation,
  type Input,
  type Output,
  operationKey,
  type ReadOptions,
  WATCH_MS,
} from "./use-operation.ts";

interface Page {
  readonly next_cursor: string | null;
}

/** Operations that answer page by page. */
type PagedId = { [Id in OperationId]: Output<Id> extends Page ? Id : never }[OperationId];

/** A list that is longer than one answer: `fetchNextPage` continues it. */
export function useOperationPages<Id extends PagedId>(
  id: Id,
  input: Input<Id>,
  { isUnfinished = () => false }: Pick<ReadOptions<Output<Id>>, "isUnfinished"> = {},
): UseInfiniteQueryResult<InfiniteData<Output<Id>>> {
  const { scope, client } = useScopedClient();
  return useInfiniteQuery({
    // Not the key of its first page alone, which `useOperation` would have.
    queryKey: [...operationKey(scope, id, input), "pages"],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) =>
      callOperation(client, id, { ...input, ...(pageParam === null ? {} : { cursor: pageParam }) }),
    refetchInterval: ({ state: { data } }) => (data?.pages.some(isUnfinished) ? WATCH_MS : false),
    getNextPageParam: (page: Output<Id>) => (page as Page).next_cursor,
  });
}

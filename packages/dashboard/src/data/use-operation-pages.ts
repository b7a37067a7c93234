import {
  type InfiniteData,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
  useQueryClient,
} from "@tanstack/react-query";
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
  const queries = useQueryClient();
  const { scope, client } = useScopedClient();
  const query = {
    // Not the key of its first page alone, which `useOperation` would have.
    queryKey: [...operationKey(scope, id, input), "pages"],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }: { readonly pageParam: string | null }) =>
      callOperation(client, id, { ...input, ...(pageParam === null ? {} : { cursor: pageParam }) }),
    getNextPageParam: (page: Output<Id>) => (page as Page).next_cursor,
  };
  // As `useOperation` does: otherwise only after everything has been rendered.
  if (queries.getQueryState(query.queryKey) === undefined) void queries.prefetchInfiniteQuery(query);
  return useInfiniteQuery({
    ...query,
    refetchInterval: ({ state: { data } }) => (data?.pages.some(isUnfinished) ? WATCH_MS : false),
  });
}

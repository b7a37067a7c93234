import {
  type Query,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import type { OutputOf, RequestOf } from "@tollgate/core/contract/operation";
import type { OperationId, Operations } from "@tollgate/core/contract/operations";
import type { Client } from "@tollgate/sdk/client";
import { notify } from "./notices.ts";
import { type Scope, type ScopedClient, useScopedClient } from "./scope.tsx";

export type Input<Id extends OperationId> = RequestOf<Operations[Id]>;
export type Output<Id extends OperationId> = OutputOf<Operations[Id]>;

/** The client takes no second argument where an operation has no input; here it is always given. */
export function callOperation<Id extends OperationId>(
  client: Client,
  id: Id,
  input: Input<Id>,
): Promise<Output<Id>> {
  const call = client.call as (id: Id, input: Input<Id>) => Promise<Output<Id>>;
  return call(id, input);
}

export function operationKey(scope: Scope, id: OperationId, input: object) {
  return [scope.organizationId ?? null, scope.mode, id, input] as const;
}

export function operationQuery<Id extends OperationId>(
  { scope, client }: ScopedClient,
  id: Id,
  input: Input<Id>,
) {
  return { queryKey: operationKey(scope, id, input), queryFn: () => callOperation(client, id, input) };
}

/** How often something is read that the server is still working on. */
export const WATCH_MS = 1000;

export interface ReadOptions<Answer> {
  readonly enabled?: boolean;
  /** Whether the server is still working on it: then it is read again, because the live channel tells only of calls. */
  readonly isUnfinished?: (answer: Answer) => boolean;
  /** How often it is read until then. */
  readonly watchMs?: number;
  /** false: calls do not change it, so that the live channel need not refresh it. */
  readonly isLive?: boolean;
}

/**
 * Reads an operation: `useOperation("budgets.list", {})`. What the live channel reports refreshes it
 * (`data/view.tsx`); the previous answer is shown until the new one arrives.
 */
export function useOperation<Id extends OperationId>(
  id: Id,
  input: Input<Id>,
  {
    enabled = true,
    isLive = true,
    isUnfinished = () => false,
    watchMs = WATCH_MS,
  }: ReadOptions<Output<Id>> = {},
): UseQueryResult<Output<Id>> {
  const queries = useQueryClient();
  const query = { ...operationQuery(useScopedClient(), id, input), meta: { isLive } };
  // `useQuery` alone would ask only after everything has been rendered.
  if (enabled && queries.getQueryState(query.queryKey) === undefined) void queries.prefetchQuery(query);
  return useQuery<Output<Id>>({
    ...query,
    placeholderData: (previous, query) =>
      query !== undefined && isMovedWindow(query.queryKey[3], input) ? (previous as never) : undefined,
    enabled,
    refetchInterval: ({ state: { data } }) => (data !== undefined && isUnfinished(data) ? watchMs : false),
  });
}

/** The same question a moment later. Any other answer would be shown under the wrong label. */
function isMovedWindow(before: unknown, now: object): boolean {
  return JSON.stringify(withoutMoment(before)) === JSON.stringify(withoutMoment(now));
}

function withoutMoment(input: unknown): unknown {
  if (typeof input !== "object" || input === null || !("from" in input) || !("to" in input)) return input;
  const { from, to, ...rest } = input;
  return { ...rest, lengthMs: Date.parse(String(to)) - Date.parse(String(from)) };
}

interface ChangeOptions<Id extends OperationId> {
  /** Operations whose answers it changes. */
  readonly refreshes: readonly OperationId[];
  /** The notice after success. */
  readonly done?: string | ((output: Output<Id>) => string);
  readonly onDone?: (output: Output<Id>) => void;
}

/** Changes something: `const pause = useChange("budgets.update", { refreshes: ["budgets.list"], done: "Paused" })`. */
export function useChange<Id extends OperationId>(
  id: Id,
  { refreshes, done, onDone }: ChangeOptions<Id>,
  /** `isOfForm`: a form says why it was refused, not a notice. */
  meta: { readonly isOfForm: boolean } = { isOfForm: false },
): UseMutationResult<Output<Id>, Error, Input<Id>> {
  const { client } = useScopedClient();
  const queries = useQueryClient();
  return useMutation<Output<Id>, Error, Input<Id>>({
    mutationFn: input => callOperation(client, id, input),
    meta,
    async onSuccess(output) {
      if (done !== undefined) notify({ kind: "done", text: typeof done === "string" ? done : done(output) });
      onDone?.(output);
      const changed = { predicate: isOneOf(refreshes) };
      // A request in flight may have been answered before the change, and its answer would count as fresh.
      await queries.cancelQueries(changed);
      await queries.invalidateQueries(changed);
    },
  });
}

/** What a form (`parts/form.tsx`) changes. It must be among its `changes`, or nobody learns of a refusal. */
export function useFormChange<Id extends OperationId>(id: Id, options: ChangeOptions<Id>) {
  return useChange(id, options, { isOfForm: true });
}

function isOneOf(ids: readonly OperationId[]): (query: Query) => boolean {
  return ({ queryKey }) => ids.some(id => id === queryKey[2]);
}

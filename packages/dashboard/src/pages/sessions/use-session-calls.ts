import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useScopedClient } from "../../data/scope.tsx";
import { type Output, operationKey } from "../../data/use-operation.ts";

export type Call = Output<"events.list">["events"][number];

const PAGE_SIZE = 500;
const MAX_PAGES = 8;

interface SessionCalls {
  /** Oldest first. */
  readonly calls: readonly Call[];
  /** There are older ones. */
  readonly isCut: boolean;
}

/** The calls of a session, the newest 4,000 of them. */
export function useSessionCalls(sessionId: string): UseQueryResult<SessionCalls> {
  const { scope, client } = useScopedClient();
  return useQuery({
    queryKey: operationKey(scope, "events.list", { session_id: sessionId, limit: PAGE_SIZE }),
    queryFn: async () => {
      const calls: Call[] = [];
      let cursor: string | null = null;
      for (let page = 0; page < MAX_PAGES; page++) {
        const answer: Output<"events.list"> = await client.call("events.list", {
          session_id: sessionId,
          limit: PAGE_SIZE,
          ...(cursor === null ? {} : { cursor }),
        });
        calls.push(...answer.events);
        cursor = answer.next_cursor;
        if (cursor === null) break;
      }
      return { calls: calls.reverse(), isCut: cursor !== null };
    },
  });
}

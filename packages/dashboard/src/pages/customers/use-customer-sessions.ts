import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { Client } from "@tollgate/sdk/client";
import { useScopedClient } from "../../data/scope.tsx";
import { type Output, operationKey } from "../../data/use-operation.ts";
import { outcomeValueOf } from "../sessions/outcome-value-of.ts";

type Call = Output<"events.list">["events"][number];
type Outcome = Output<"outcomes.list">["outcomes"][number];

const CALLS_PER_PAGE = 500;
const MAX_CALL_PAGES = 6;
const OUTCOMES_PER_PAGE = 200;
const MAX_OUTCOME_PAGES = 10;

export interface CustomerSession {
  readonly sessionId: string;
  readonly calls: number;
  readonly unpricedCalls: number;
  readonly costMicrocents: number;
  /** null: no outcome with a value was found. */
  readonly valueMicrocents: number | null;
  readonly outcomes: number;
  readonly lastCallAt: string;
}

interface CustomerSessions {
  /** The latest first. */
  readonly sessions: readonly CustomerSession[];
  /** All calls of the range were read; otherwise the newest. */
  readonly hasAllCalls: boolean;
  /** All outcomes since the beginning of the range were read. */
  readonly hasAllOutcomes: boolean;
}

/**
 * Sessions of a customer with calls in a window, and what their outcomes are worth. The API attributes value to
 * sessions and agents, not to customers: both lists are read and joined here, within bounds.
 */
export function useCustomerSessions(
  customerId: string,
  { from, to }: { readonly from: string; readonly to: string },
): UseQueryResult<CustomerSessions> {
  const { scope, client } = useScopedClient();
  return useQuery({
    queryKey: operationKey(scope, "events.list", { customer_id: customerId, from, to, sessions: true }),
    queryFn: async () => {
      const calls = await readCalls(client, customerId, from, to);
      const hasSessions = calls.rows.some(({ session_id }) => session_id !== null);
      const outcomes = hasSessions ? await readOutcomes(client, from) : { rows: [], isAll: true };
      return {
        sessions: joined(calls.rows, outcomes.rows),
        hasAllCalls: calls.isAll,
        hasAllOutcomes: outcomes.isAll,
      };
    },
  });
}

async function readCalls(client: Client, customerId: string, from: string, to: string) {
  const rows: Call[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MAX_CALL_PAGES; page++) {
    const answer: Output<"events.list"> = await client.call("events.list", {
      customer_id: customerId,
      from,
      to,
      limit: CALLS_PER_PAGE,
      ...(cursor === null ? {} : { cursor }),
    });
    rows.push(...answer.events);
    cursor = answer.next_cursor;
    if (cursor === null) break;
  }
  return { rows, isAll: cursor === null };
}

/** Newest first, back to the beginning of the window: what a session leads to is reported after its calls. */
async function readOutcomes(client: Client, from: string) {
  const rows: Outcome[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MAX_OUTCOME_PAGES; page++) {
    const answer: Output<"outcomes.list"> = await client.call("outcomes.list", {
      limit: OUTCOMES_PER_PAGE,
      ...(cursor === null ? {} : { cursor }),
    });
    rows.push(...answer.outcomes);
    cursor = answer.next_cursor;
    const oldest = rows.at(-1)?.created_at;
    if (cursor === null || (oldest !== undefined && oldest < from)) return { rows, isAll: true };
  }
  return { rows, isAll: false };
}

function joined(calls: readonly Call[], outcomes: readonly Outcome[]): readonly CustomerSession[] {
  const bySession = Map.groupBy(
    calls.filter(({ session_id }) => session_id !== null),
    ({ session_id }) => session_id ?? "",
  );
  const found = Map.groupBy(outcomes, ({ session_id }) => session_id);
  return [...bySession].map(([sessionId, own]) => {
    const results = found.get(sessionId) ?? [];
    const priced = own.filter(({ is_unpriced }) => !is_unpriced);
    return {
      sessionId,
      calls: own.length,
      unpricedCalls: own.length - priced.length,
      costMicrocents: priced.reduce(
        (sum, { cost_microcents, adjustment_microcents }) => sum + cost_microcents + adjustment_microcents,
        0,
      ),
      valueMicrocents: outcomeValueOf(results),
      outcomes: results.length,
      lastCallAt: own.map(({ created_at }) => created_at).reduce((a, b) => (a > b ? a : b)),
    };
  });
}

import type { AttributionModel } from "@tollgate/core/attribution/attribution-models";
import { type RawBuilder, sql } from "kysely";
import type { Scope } from "../../ledger/scope.ts";
import type { OutcomeTouches } from "../queries/agent-signal-queries.ts";
import type { Window } from "../window.ts";

/**
 * Outcomes of a window with the agents that a model may credit. Looking up an agent in an outcome's session takes most of
 * the time, so this is done only where the model needs it; a session's other calls are not read.
 */
export function outcomeRows(
  scopeId: number,
  scope: Scope,
  window: Window,
  model: AttributionModel,
): RawBuilder<OutcomeTouches> {
  const { first, last } = touches(scopeId, model);
  return sql`
    SELECT outcomes.id, outcomes.outcome_type, outcomes.success, outcomes.value_cents, outcomes.agent_id,
      ${first} AS first_agent_id, ${last} AS last_agent_id
    FROM outcomes LEFT JOIN sessions
      ON sessions.session_id = outcomes.session_id AND sessions.scope = ${scopeId}
    WHERE outcomes.org_id = ${scope.orgId} AND outcomes.mode = ${scope.mode}
      AND outcomes.created_at >= ${window.from} AND outcomes.created_at < ${window.to}
    ORDER BY outcomes.created_at, outcomes.id`;
}

function touches(scopeId: number, model: AttributionModel) {
  const none = sql<string | null>`NULL`;
  switch (model) {
    case "direct":
      return {
        first: none,
        last: sql`CASE WHEN outcomes.agent_id IS NULL THEN ${lastTouch(scopeId)} END`,
      };
    case "first_touch":
      return { first: touch(scopeId, sql`ASC`), last: none };
    case "last_touch":
      return { first: none, last: lastTouch(scopeId) };
    default:
      return model satisfies never;
  }
}

/** The agent of the last call in an outcome's session before it, for queries that join both. */
export function lastTouch(scopeId: number): RawBuilder<string | null> {
  return touch(scopeId, sql`DESC`);
}

function touch(scopeId: number, direction: RawBuilder<unknown>): RawBuilder<string | null> {
  return sql<string | null>`(
    SELECT agents.agent_id FROM facts JOIN agents ON agents.id = facts.agent
    WHERE facts.scope = ${scopeId} AND facts.session = sessions.id
      AND facts.created_at <= COALESCE(outcomes.confirmed_at, outcomes.created_at)
    ORDER BY facts.created_at ${direction}, facts.seq ${direction} LIMIT 1)`;
}

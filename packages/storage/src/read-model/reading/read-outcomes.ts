import { type RawBuilder, sql } from "kysely";
import type { ControlDb } from "../../database/schema.ts";
import type { Scope } from "../../ledger/scope.ts";
import type { OutcomeTouches } from "../queries/agent-signal-queries.ts";
import type { Window } from "../window.ts";

/**
 * Outcomes of a window with the first and last agent of their session before them. One index lookup per outcome for
 * each of the two; a session's other calls are not read.
 */
export async function readOutcomes(
  db: ControlDb,
  scopeId: number,
  scope: Scope,
  window: Window,
): Promise<OutcomeTouches[]> {
  return await db
    .selectFrom("outcomes")
    .leftJoin("sessions", join =>
      join.onRef("sessions.session_id", "=", "outcomes.session_id").on("sessions.scope", "=", scopeId),
    )
    .select([
      "outcomes.id",
      "outcomes.outcome_type",
      "outcomes.success",
      "outcomes.value_cents",
      "outcomes.agent_id",
      touch(scopeId, sql`ASC`).as("first_agent_id"),
      lastTouch(scopeId).as("last_agent_id"),
    ])
    .where("outcomes.org_id", "=", scope.orgId)
    .where("outcomes.mode", "=", scope.mode)
    .where("outcomes.created_at", ">=", window.from)
    .where("outcomes.created_at", "<", window.to)
    .orderBy("outcomes.created_at")
    .orderBy("outcomes.id")
    .execute();
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

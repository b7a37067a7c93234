import { startOfDay } from "@tollgate/core/time/start-of-day";
import { type RawBuilder, sql } from "kysely";
import type { Scope } from "../../ledger/scope.ts";
import type { AgentCoverage, AgentSessions, AgentVolume, LabelLag } from "../queries/agent-signal-queries.ts";
import { sumOf } from "../sum-of.ts";
import type { Window } from "../window.ts";
import { lastTouch } from "./read-outcomes.ts";

/** Enough for a median and a 90th percentile of any agent with many. */
const MAX_LAGS = 20_000;

/**
 * How many of each agent's calls have a session and a config version, on the UTC days that start within the window. Calls of
 * verifications belong to no agent. `areSumsFilled`: after an upgrade, sums of days may still be missing.
 */
export function coverageRows(
  scope: number,
  { from, to }: Window,
  areSumsFilled: boolean,
): RawBuilder<AgentCoverage> {
  if (!areSumsFilled) {
    return sql`
      SELECT agents.agent_id, sums.calls, sums.session_calls, sums.version_calls FROM (
        SELECT agent, count(*) AS calls, count(session) AS session_calls, count(config_version) AS version_calls
        FROM facts WHERE scope = ${scope} AND created_at >= ${from} AND created_at < ${to} AND agent > 0
        GROUP BY agent) AS sums
      JOIN agents ON agents.id = sums.agent`;
  }
  // Agent by agent: the key of the sums begins with the agent, so a range of days would be searched for in all of them.
  return sql`
    SELECT agents.agent_id, ${sumOf(sql.ref("days.calls"))} AS calls,
      ${sumOf(sql.ref("days.session_calls"))} AS session_calls,
      ${sumOf(sql`CASE WHEN days.config_version > 0 THEN days.calls ELSE 0 END`)} AS version_calls
    FROM agents LEFT JOIN agent_version_days AS days ON days.scope = agents.scope AND days.agent = agents.id
      AND days.day >= ${from} AND days.day < ${to}
    WHERE agents.scope = ${scope} GROUP BY agents.agent_key, agents.agent_id`;
}

/**
 * Sessions in which an agent made its first call on the UTC days of the window, and those with an outcome. From sums of days: there may be a
 * session for every few calls.
 */
export function sessionRows(scopeId: number, scope: Scope, { from, to }: Window): RawBuilder<AgentSessions> {
  const since = startOfDay(from);
  // As the profile counts them: with the agent's own first call. Retention may have removed it.
  const beganAt = sql`coalesce((SELECT min(facts.created_at) FROM facts WHERE facts.scope = ${scopeId}
    AND facts.session = sessions.id AND facts.agent = starts.agent), sessions.first_at)`;
  return sql`
    SELECT agents.agent_id, begun.sessions, coalesce(labelled.sessions, 0) AS joined
    FROM (
      SELECT agent, ${sumOf(sql.ref("sessions"))} AS sessions FROM profile_days
      WHERE scope = ${scopeId} AND day >= ${since} AND day < ${to} GROUP BY agent) AS begun
    JOIN agents ON agents.id = begun.agent
    LEFT JOIN (
      SELECT starts.agent, count(*) AS sessions
      FROM (SELECT DISTINCT session_id FROM outcomes
          WHERE org_id = ${scope.orgId} AND mode = ${scope.mode} AND created_at >= ${since}
            AND session_id IS NOT NULL) AS outcomes
        JOIN sessions ON sessions.scope = ${scopeId} AND sessions.session_id = outcomes.session_id
        JOIN profile_sessions AS starts
          ON starts.session_id = sessions.session_id AND starts.scope = sessions.scope
      WHERE ${beganAt} BETWEEN ${since} AND ${to - 1}
      GROUP BY starts.agent) AS labelled ON labelled.agent = begun.agent
    WHERE begun.sessions > 0`;
}

/** Time from the last call of a session to its outcome, newest outcomes first. */
export function lagRows(scopeId: number, scope: Scope, { from, to }: Window): RawBuilder<LabelLag> {
  const lastCallAt = sql`(SELECT max(facts.created_at) FROM facts
    WHERE facts.scope = ${scopeId} AND facts.session = sessions.id AND facts.agent > 0
      AND facts.created_at <= outcomes.created_at)`;
  return sql`
    SELECT agent_id, labelled_at - last_call_at AS lag_ms FROM (
      SELECT ${lastTouch(scopeId)} AS agent_id, outcomes.created_at AS labelled_at, ${lastCallAt} AS last_call_at
      FROM outcomes JOIN sessions
        ON sessions.session_id = outcomes.session_id AND sessions.scope = ${scopeId}
      WHERE outcomes.org_id = ${scope.orgId} AND outcomes.mode = ${scope.mode}
        AND outcomes.created_at >= ${from} AND outcomes.created_at < ${to}
      ORDER BY outcomes.created_at DESC LIMIT ${MAX_LAGS}) AS labelled
    WHERE agent_id IS NOT NULL AND last_call_at IS NOT NULL`;
}

/** Each agent's calls per day, as sums for the mean and its spread. Whole UTC days. */
export function volumeRows(scope: number, { from, to }: Window): RawBuilder<AgentVolume> {
  // `model = 0` is literal: otherwise the partial index on those rows is not used.
  return sql`
    SELECT agents.agent_id, agents.agent_key, agents.first_seen_at, sums.first_day,
      coalesce(sums.calls, 0) AS calls, coalesce(sums.squared_calls, 0) AS squared_calls
    FROM agents LEFT JOIN (
      SELECT agent, min(day) AS first_day, ${sumOf(sql.ref("calls"))} AS calls, ${sumOf(sql`calls * calls`)} AS squared_calls
      FROM rollup_days WHERE scope = ${scope} AND model = 0 AND day >= ${from} AND day < ${to}
      GROUP BY agent) AS sums ON sums.agent = agents.id
    WHERE agents.scope = ${scope}
    ORDER BY coalesce(sums.calls, 0) DESC, agents.agent_key`;
}

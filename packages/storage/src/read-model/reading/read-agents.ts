import { type AgentStatus, agentStatuses, ENOUGH_CALLS, IDLE_AFTER_MS } from "@tollgate/core/agents/status";
import { HOUR_MS } from "@tollgate/core/time/durations";
import { type RawBuilder, sql } from "kysely";
import { listOfNumbers, listOfTexts } from "../../database/list-of.ts";
import type { Engine } from "../../database/open-control-database.ts";
import type { ControlDb } from "../../database/schema.ts";
import { storableName } from "../../ledger/storable-name.ts";
import { factsWith } from "../fact-lists.ts";
import type { AgentFilter, AgentPage, AgentRecord, FleetCounts } from "../queries/agent-queries.ts";
import { totalsOfFacts } from "../sum-of.ts";
import type { Window } from "../window.ts";

interface AgentRow {
  readonly id: number;
  readonly agent_id: string;
  readonly agent_key: string;
  readonly first_seen_at: number;
  readonly last_call_at: number | null;
}

/** Summing this many agents would noticeably delay other requests. */
const MANY_AGENTS = 2000;

export async function hasManyAgents(db: ControlDb, scope: number): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM (SELECT 1 FROM agents WHERE scope = ${scope} LIMIT ${MANY_AGENTS}) AS first_agents`.execute(
    db,
  );
  return Number(rows[0]?.count ?? 0) === MANY_AGENTS;
}

const columns = sql`agents.id, agents.agent_id, agents.agent_key, agents.first_seen_at, agents.last_call_at`;

/** Without the last hour, which `withLastHour` adds. One extra row shows whether there is another page. */
export function pageOfAgents(
  engine: Engine,
  scope: number,
  now: number,
  filter: AgentFilter,
  limit: number,
  after: string | undefined,
): RawBuilder<AgentRow> {
  const afterCursor =
    after === undefined
      ? sql``
      : sql`AND agents.agent_key > (SELECT last.agent_key FROM agents AS last WHERE last.agent_id = ${after} AND last.scope = ${scope})`;
  return sql<AgentRow>`SELECT ${columns} ${matching(engine, scope, now, filter)} ${afterCursor}
    ORDER BY agents.agent_key LIMIT ${limit + 1}`;
}

export function countOfAgents(
  engine: Engine,
  scope: number,
  now: number,
  filter: AgentFilter,
): RawBuilder<{ count: number }> {
  return sql`SELECT count(*) AS count ${matching(engine, scope, now, filter)}`;
}

export function countsByStatus(scope: number, now: number): RawBuilder<{ status: string; count: number }> {
  return sql`SELECT ${statusAt(now)} AS status, count(*) AS count
    FROM ${withSettings} ${withRecentCalls(scope, now)} WHERE agents.scope = ${scope} GROUP BY 1`;
}

export function toFleetCounts(
  rows: readonly { readonly status: string; readonly count: number }[],
): FleetCounts {
  const of = (status: AgentStatus) => Number(rows.find(row => row.status === status)?.count ?? 0);
  return { active: of("active"), idle: of("idle"), error: of("error"), archived: of("archived") };
}

export async function toAgentPage(
  db: ControlDb,
  engine: Engine,
  scope: number,
  now: number,
  rows: readonly AgentRow[],
  limit: number,
): Promise<AgentPage> {
  const shown = rows.slice(0, limit);
  return {
    rows: await withLastHour(db, engine, scope, now, shown),
    next: rows.length > limit ? (shown.at(-1)?.agent_id ?? null) : null,
  };
}

export async function readAgentsById(
  db: ControlDb,
  engine: Engine,
  scope: number,
  now: number,
  agentIds: readonly string[],
): Promise<AgentRecord[]> {
  const rows = await db
    .selectFrom("agents")
    .select(["id", "agent_id", "agent_key", "first_seen_at", "last_call_at"])
    .where("scope", "=", scope)
    .where("agent_id", "in", listOfTexts(engine, agentIds))
    .execute();
  return await withLastHour(db, engine, scope, now, rows);
}

export async function readAgentIds(
  db: ControlDb,
  engine: Engine,
  scope: number,
  agentKeys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom("agents")
    .select(["agent_id", "agent_key"])
    .where("scope", "=", scope)
    .where("agent_key", "in", listOfTexts(engine, [...new Set(agentKeys.map(storableName))]))
    .execute();
  const ids = new Map(rows.map(row => [row.agent_key, row.agent_id]));
  return new Map(
    agentKeys.flatMap(key => {
      const id = ids.get(storableName(key));
      return id === undefined ? [] : [[key, id]];
    }),
  );
}

/** Adds the calls that determine an agent's status. */
async function withLastHour(
  db: ControlDb,
  engine: Engine,
  scope: number,
  now: number,
  agents: readonly AgentRow[],
): Promise<AgentRecord[]> {
  const { from, to } = lastHour(now);
  const ids = agents.map(({ id }) => id);
  const { rows } = await sql<{ agent: number; calls: number; errors: number }>`
    SELECT agent, ${sql.join(totalsOfFacts.slice(0, 2))}
    FROM ${factsWith(engine, scope, "agent", sql`IN ${listOfNumbers(engine, ids)}`, { from, to })} AS facts
    WHERE created_at >= ${from} AND created_at < ${to}
    GROUP BY agent`.execute(db);
  const recent = new Map(rows.map(row => [row.agent, row]));
  return agents.map(({ id, agent_id, agent_key, first_seen_at, last_call_at }) => ({
    id: agent_id,
    agent_key,
    first_seen_at,
    last_call_at,
    recent_calls: recent.get(id)?.calls ?? 0,
    recent_errors: recent.get(id)?.errors ?? 0,
  }));
}

const withSettings = sql`agents LEFT JOIN agent_settings AS said ON said.agent_id = agents.agent_id`;

function matching(
  engine: Engine,
  scope: number,
  now: number,
  { status, category, search, isBreakerOn }: AgentFilter,
): RawBuilder<unknown> {
  const recent = status === undefined ? sql`` : withRecentCalls(scope, now);
  const ofStatus = status === undefined ? sql`` : sql`AND ${statusAt(now)} = ${sql.lit(status)}`;
  const ofCategory = category === undefined ? sql`` : sql`AND ${isOfCategory(engine, category)}`;
  const ofBreaker =
    isBreakerOn === undefined
      ? sql``
      : sql`AND coalesce(said.breaker_off, 0) = ${sql.lit(isBreakerOn ? 0 : 1)}`;
  const ofSearch =
    search === undefined
      ? sql``
      : sql`AND (${contains(engine, "agents.agent_key", search)} OR ${contains(engine, "said.name", search)})`;
  return sql`FROM ${withSettings} ${recent} WHERE agents.scope = ${scope} ${ofStatus} ${ofCategory} ${ofBreaker} ${ofSearch}`;
}

function contains(engine: Engine, column: string, text: string): RawBuilder<boolean> {
  const find = sql.raw(engine === "sqlite" ? "instr" : "strpos");
  return sql`${find}(lower(coalesce(${sql.ref(column)}, '')), lower(${text})) > 0`;
}

/** For `statusAt`: the calls of each agent in the last hour, read once for all of them. */
function withRecentCalls(scope: number, now: number): RawBuilder<unknown> {
  const { from, to } = lastHour(now);
  return sql`LEFT JOIN (
    SELECT agent, ${sql.join(totalsOfFacts.slice(0, 2))} FROM facts
    WHERE scope = ${scope} AND created_at >= ${from} AND created_at < ${to} GROUP BY agent
  ) AS recent ON recent.agent = agents.id`;
}

/** The same as `agentStatus` in core, for filtering and counting in the database. */
function statusAt(now: number): RawBuilder<string> {
  const [active, idle, error, archived] = agentStatuses.map(name => sql.lit(name));
  return sql<string>`CASE
    WHEN said.archived_at IS NOT NULL THEN ${archived}
    WHEN recent.calls >= ${sql.lit(ENOUGH_CALLS)} AND 2 * recent.errors >= recent.calls THEN ${error}
    WHEN agents.last_call_at IS NULL OR agents.last_call_at <= ${now - IDLE_AFTER_MS} THEN ${idle}
    ELSE ${active} END`;
}

/** The hour that ends with this millisecond. */
function lastHour(now: number): Window {
  return { from: now - HOUR_MS + 1, to: now + 1 };
}

/** From the metadata, which is our own JSON; a category that is not text is ignored. */
function isOfCategory(engine: Engine, category: string): RawBuilder<boolean> {
  return engine === "sqlite"
    ? sql`json_extract(said.metadata, '$.category') = ${category}`
    : sql`(json_typeof(CAST(said.metadata AS JSON) -> 'category') = 'string'
        AND CAST(said.metadata AS JSON) ->> 'category' = ${category})`;
}

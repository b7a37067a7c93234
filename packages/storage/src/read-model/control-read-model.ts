import type { Event } from "@tollgate/core/event";
import { decodeRateCard } from "@tollgate/core/pricing/rates";
import { startOfHour } from "@tollgate/core/time/start-of-day";
import { type RawBuilder, sql } from "kysely";
import type { ControlDatabase } from "../database/open-control-database.ts";
import { readTogether } from "../database/read-together.ts";
import type { ControlDb } from "../database/schema.ts";
import { readSeq } from "../following/stored-position.ts";
import type { LedgerReader, SequencedEvent } from "../ledger/ledger-reader.ts";
import type { RefusalSource } from "../ledger/read-refusals.ts";
import type { Scope } from "../ledger/scope.ts";
import { storableName } from "../ledger/storable-name.ts";
import type { BreakdownFilter } from "./breakdown.ts";
import { EVENTS_CURSOR } from "./deriving/read-model-repair.ts";
import { isRefillDue } from "./deriving/refill-sums.ts";
import { isUnpriced } from "./is-unpriced.ts";
import type {
  AgentPage,
  AgentRecord,
  LatencyHour,
  ListedEvent,
  Page,
  Position,
  ReadModel,
  SeriesBucket,
  SubjectTotals,
  VisibleWindow,
} from "./queries.ts";
import { explainEvent } from "./reading/explain-event.ts";
import { healthRows, outcomesByAgent, toHealthRecords } from "./reading/read-agent-health.ts";
import { coverageRows, lagRows, sessionRows, volumeRows } from "./reading/read-agent-signals.ts";
import { agentsByCost, countOfSpenders, usageByAgent } from "./reading/read-agent-usage.ts";
import {
  countOfAgents,
  countsByStatus,
  hasManyAgents,
  pageOfAgents,
  readAgentIds,
  readAgentsById,
  toAgentPage,
  toFleetCounts,
} from "./reading/read-agents.ts";
import {
  costKindRows,
  type RankedRow,
  rankedRows,
  toBreakdown,
  toCostKindBuckets,
} from "./reading/read-breakdown.ts";
import { readBudgetSpend } from "./reading/read-budget-spend.ts";
import { readEvents } from "./reading/read-events.ts";
import {
  keysCutBy,
  readUsedKeys,
  recentKeySums,
  toKeyUsage,
  type UsedKey,
} from "./reading/read-key-usage.ts";
import { readOutcomes } from "./reading/read-outcomes.ts";
import { costSeriesOf, readActiveScopes, readLatencyHours, readUsageSeries } from "./reading/read-series.ts";
import {
  configVersionKind,
  customerKind,
  pageOfSubjects,
  readCustomerDays,
  readSubject,
  readSubjects,
  type SubjectKind,
  sessionKind,
  toSubjectPage,
} from "./reading/read-subjects.ts";
import { readUnpricedCalls, readUnpricedOf } from "./reading/read-unpriced-calls.ts";
import { readFirstCallAt, readUsage } from "./reading/read-usage.ts";
import { type ResolvedFilter, resolveFilter } from "./reading/resolve-filter.ts";
import { scopeFinder } from "./reading/scope-finder.ts";
import { findAgent } from "./reading/usage-of-model.ts";
import { UsageTotals } from "./reading/usage-totals.ts";
import { sumOf } from "./sum-of.ts";

const NOTHING = { rows: [], next: null } as const;

export function createReadModel(
  database: ControlDatabase,
  ledger: LedgerReader,
  refusals: RefusalSource = ownRefusals(ledger),
): ReadModel {
  const { db, engine } = database;
  const findScope = scopeFinder();
  let areSumsFilled = false;

  function read<Answer>(
    scope: Scope,
    nothing: Answer,
    run: (db: ControlDb, scope: number) => Promise<Answer>,
  ): Promise<Answer> {
    return readTogether(database, async connection => {
      const id = await findScope(connection, scope);
      return id === null ? nothing : run(connection, id);
    });
  }

  /** Queries over all agents of a scope. Large fleets are read in the reader thread, to block nothing else. */
  async function readFleet<Row>(scope: Scope, build: (scope: number) => RawBuilder<Row>): Promise<Row[]> {
    const result = await read(scope, null, async (connection, id) => {
      const ofScope = build(id);
      const isLong = await hasManyAgents(connection, id);
      return isLong ? ofScope : (await ofScope.execute(connection)).rows;
    });
    if (result === null) return [];
    // Only now is the connection free again.
    return "compile" in result ? database.longRead({ compile: () => result.compile(db) }) : [...result];
  }

  /** Queries whose cost grows with calls or outcomes: always in the reader thread. */
  async function readLong<Row>(scope: Scope, build: (scope: number) => RawBuilder<Row>): Promise<Row[]> {
    const id = await read<number | null>(scope, null, async (_, found) => found);
    return id === null ? [] : await database.longRead({ compile: () => build(id).compile(db) });
  }

  /** The same with a filter; a filter that nothing matches has no rows. */
  async function readFiltered<Row>(
    scope: Scope,
    filter: BreakdownFilter,
    build: (scope: number, filter: ResolvedFilter) => RawBuilder<Row>,
  ): Promise<Row[]> {
    const found = await read(scope, null, async (connection, id) => {
      const resolved = await resolveFilter(connection, id, filter);
      return resolved === null ? null : build(id, resolved);
    });
    return found === null ? [] : await database.longRead({ compile: () => found.compile(db) });
  }

  async function countOf(
    scope: Scope,
    build: (scope: number) => RawBuilder<{ readonly count: number }>,
  ): Promise<number> {
    const [row] = await readFleet(scope, build);
    return Number(row?.count ?? 0);
  }

  const subjects =
    (kind: SubjectKind) =>
    (scope: Scope, window: VisibleWindow, limit: number, after?: Position): Promise<Page<SubjectTotals>> =>
      read<Page<SubjectTotals>>(scope, NOTHING, (db, id) => readSubjects(db, kind, id, window, limit, after));

  const subject =
    (kind: SubjectKind) =>
    (scope: Scope, key: string, visibleFrom = 0): Promise<SubjectTotals | null> =>
      read<SubjectTotals | null>(scope, null, (db, id) => readSubject(db, kind, id, key, visibleFrom));

  /** By its own id, or by the id it was ingested under; another organization's event is not found. */
  async function findEvent(scope: Scope, id: string): Promise<SequencedEvent | null> {
    const own = ledger.byId(id);
    const isOurs = own !== null && own.event.org_id === scope.orgId && own.event.mode === scope.mode;
    return isOurs
      ? own
      : await read(scope, null, async (db, scopeId) => findByExternalId(db, ledger, scopeId, id));
  }

  return {
    usage: (scope, window, agentId) => {
      const none = new UsageTotals(window).toUsage(new Map());
      return read(scope, none, async (db, id) => {
        const agent = agentId === undefined ? 0 : await findAgent(db, id, agentId);
        return agent === null ? none : readUsage(db, engine, id, agent, window);
      });
    },
    async breakdown(scope, question) {
      areSumsFilled ||= !(await isRefillDue(db));
      const rows = await readFiltered<RankedRow>(scope, question.filter, (id, filter) =>
        rankedRows(id, question, filter, areSumsFilled),
      );
      return await toBreakdown(db, question, rows);
    },
    costKinds: async (scope, question) =>
      toCostKindBuckets(
        await readFiltered(scope, question.filter, (id, filter) => costKindRows(id, question, filter)),
      ),
    firstCallAt: scope => read<number | null>(scope, null, readFirstCallAt),
    usageByAgent: (scope, window) => readFleet(scope, id => usageByAgent(id, window)),
    unpricedCalls: (scope, window, of = {}) =>
      read(scope, 0, async (db, id) => {
        if (of.keyId !== undefined || of.customerId !== undefined) {
          return readUnpricedOf(db, id, of, window);
        }
        const agent = of.agentId === undefined ? 0 : await findAgent(db, id, of.agentId);
        return agent === null ? 0 : readUnpricedCalls(db, id, agent, window);
      }),
    usageSeries: (scope, unit, window, of) =>
      read<SeriesBucket[]>(scope, [], (db, id) => readUsageSeries(db, id, unit, window, of)),
    costSeries: (scope, unit, window, of) => readLong(scope, id => costSeriesOf(id, unit, window, of)),
    latencyHours: (scope, window, agentId) =>
      read<LatencyHour[]>(scope, [], async (db, id) => {
        const agent = agentId === undefined ? 0 : await findAgent(db, id, agentId);
        return agent === null ? [] : readLatencyHours(db, id, agent, window);
      }),
    activeScopes: since => readActiveScopes(db, since),
    agentsByCost: (scope, window, choice) => readFleet(scope, id => agentsByCost(engine, id, window, choice)),
    spendingAgents: (scope, window, agentIds) =>
      countOf(scope, id => countOfSpenders(engine, id, window, agentIds)),
    async agentPage(scope, now, filter, limit, after) {
      const page = (id: number) => pageOfAgents(engine, id, now, filter, limit, after);
      const rows = await readFleet(scope, page);
      return await read<AgentPage>(scope, NOTHING, (db, id) => toAgentPage(db, engine, id, now, rows, limit));
    },
    countAgents: (scope, now, filter) => countOf(scope, id => countOfAgents(engine, id, now, filter)),
    fleetCounts: async (scope, now) => toFleetCounts(await readFleet(scope, id => countsByStatus(id, now))),
    agentsById: (scope, now, agentIds) =>
      read<AgentRecord[]>(scope, [], (db, id) => readAgentsById(db, engine, id, now, agentIds)),
    agentIds: (scope, agentKeys) =>
      read<ReadonlyMap<string, string>>(scope, new Map(), (db, id) =>
        readAgentIds(db, engine, id, agentKeys),
      ),
    agent: (scope, agentId, now) =>
      read<AgentRecord | null>(
        scope,
        null,
        async (db, id) => (await readAgentsById(db, engine, id, now, [agentId]))[0] ?? null,
      ),
    async refusals(scope, filter, limit, after) {
      const found = await refusals.list(scope, filter, after ?? null, limit + 1);
      const rows = found.slice(0, limit);
      const last = rows.at(-1);
      const isMore = found.length > limit && last !== undefined;
      return { rows, next: isMore ? { at: last.created_at, seq: last.id } : null };
    },
    async refusalCounts(scope, { from, to }, by, atMost, agentKey) {
      const hours = { from: startOfHour(from), to };
      return await refusals.counts(scope, hours, by, atMost, agentKey);
    },
    events: (scope, filter, limit, after) =>
      read<Page<ListedEvent>>(scope, NOTHING, (db, id) => readEvents(db, ledger, id, filter, limit, after)),
    rateCards(versions) {
      const cards = [...versions].flatMap(version => {
        const text = ledger.rateCard(version);
        return text === null ? [] : [[version, decodeRateCard(text)] as const];
      });
      return new Map(cards);
    },
    async event(scope, id) {
      const found = await findEvent(scope, id);
      if (found === null) return null;
      const { seq, event } = found;
      return {
        position: { at: event.created_at, seq },
        event,
        ...(await adjustmentOf(db, event)),
      };
    },
    async explainedEvent(scope, id) {
      const found = await findEvent(scope, id);
      if (found === null) return null;
      return { event: found.event, explanation: await explainEvent(db, ledger, found.event) };
    },
    sessions: subjects(sessionKind),
    async sessionsOf(scope, filter, window, limit, after) {
      const rows = await readFiltered(scope, filter, (id, of) =>
        pageOfSubjects(sessionKind, id, window, limit, after, of),
      );
      return await read<Page<SubjectTotals>>(scope, NOTHING, (db, id) =>
        toSubjectPage(db, sessionKind, id, window, limit, rows),
      );
    },
    session: subject(sessionKind),
    customers: subjects(customerKind),
    customer: subject(customerKind),
    configVersions: subjects(configVersionKind),
    async keyUsage(scope, keyIds, visibleFrom) {
      const used = await read<readonly UsedKey[]>(scope, [], (db, id) =>
        readUsedKeys(db, engine, id, keyIds),
      );
      const cut = keysCutBy(visibleFrom, used);
      const sums =
        cut.length === 0 ? [] : await readLong(scope, id => recentKeySums(engine, id, cut, visibleFrom));
      return toKeyUsage(used, visibleFrom, sums);
    },
    customerDays: (scope, customerId, window) =>
      readTogether(database, async connection => {
        const id = await findScope(connection, scope);
        return readCustomerDays(connection, id, customerId, window);
      }),
    outcomes: (scope, window) =>
      readTogether(database, async connection => {
        // An organization may have outcomes before its first call; no scope has the number 0.
        const id = (await findScope(connection, scope)) ?? 0;
        return readOutcomes(connection, id, scope, window);
      }),
    agentHealth: async (scope, window, recentFrom) =>
      toHealthRecords(await readFleet(scope, id => healthRows(id, window, recentFrom))),
    outcomesByAgent: (scope, window) => readLong(scope, id => outcomesByAgent(id, scope, window)),
    agentVolumes: (scope, days) => readFleet(scope, id => volumeRows(id, days)),
    async agentSignals(scope, { days, calls, outcomes }) {
      const [volumes, coverage, sessions, lags] = await Promise.all([
        readFleet(scope, id => volumeRows(id, days)),
        readLong(scope, id => coverageRows(id, calls)),
        readLong(scope, id => sessionRows(id, scope, outcomes)),
        readLong(scope, id => lagRows(id, scope, outcomes)),
      ]);
      return { volumes, coverage, sessions, lags };
    },
    budgetSpend: async budgets => readBudgetSpend(ledger, budgets),
    monthlyCalls: async (orgId, month) => ledger.monthlyCallsOf(orgId, month),
    newestSeq: async () => ledger.newestSeq(),
    async followedUntil(now) {
      const seq = await readSeq(db, EVENTS_CURSOR);
      if (seq >= ledger.newestSeq()) return now;
      return ledger.bySeqs([seq])[0]?.event.created_at ?? 0;
    },
    async lag() {
      const seq = await readSeq(db, EVENTS_CURSOR);
      // Events are numbered without gaps: retention removes them only from the beginning.
      return Math.max(0, ledger.newestSeq() - seq);
    },
  };
}

async function findByExternalId(
  db: ControlDb,
  ledger: LedgerReader,
  scope: number,
  externalId: string,
): Promise<SequencedEvent | null> {
  const row = await db
    .selectFrom("external_ids")
    .select("seq")
    .where("scope", "=", scope)
    .where("external_id", "=", storableName(externalId))
    .executeTakeFirst();
  return row === undefined ? null : (ledger.bySeqs([row.seq])[0] ?? null);
}

async function adjustmentOf(
  db: ControlDb,
  event: Event,
): Promise<Pick<ListedEvent, "adjustment_microcents" | "is_unpriced">> {
  const row = await db
    .selectFrom("adjustments")
    .select([
      sumOf(sql.ref("amount_microcents")).as("amount"),
      ({ fn }) => fn.countAll<number>().as("adjustments"),
    ])
    .where("event_id", "=", event.id)
    .executeTakeFirst();
  return {
    adjustment_microcents: row?.amount ?? 0,
    is_unpriced: isUnpriced(event) && Number(row?.adjustments ?? 0) === 0,
  };
}

/** Those of the gateway whose ledger this is. */
function ownRefusals(ledger: LedgerReader): RefusalSource {
  return {
    list: async (scope, filter, after, limit) =>
      ledger.refusals(scope, filter, after?.seq ?? Number.MAX_SAFE_INTEGER, limit),
    counts: async (...asked) => ledger.refusalCounts(...asked),
  };
}

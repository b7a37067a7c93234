import type { ControlDb } from "../../database/schema.ts";
import type { Scope } from "../../ledger/scope.ts";
import type { LatencyHour, SeriesBucket, UsageQueries } from "../queries/usage-queries.ts";
import {
  costKindRows,
  type RankedRow,
  rankedRows,
  toBreakdown,
  toCostKindBuckets,
} from "./read-breakdown.ts";
import { costSeriesOf, readActiveScopes, readLatencyHours, readUsageSeries } from "./read-series.ts";
import { readUnpricedCalls, readUnpricedOf } from "./read-unpriced-calls.ts";
import { readFirstCallAt, readUsage } from "./read-usage.ts";
import type { ScopedReader } from "./scoped-reader.ts";
import { findAgent } from "./usage-of-model.ts";
import { UsageTotals } from "./usage-totals.ts";

export function createUsageQueries(reader: ScopedReader): UsageQueries {
  const { db, engine } = reader;

  /** Of one agent (by its public id), or of all: their rollups have the number 0. */
  function readAgent<Answer>(
    scope: Scope,
    agentId: string | undefined,
    nothing: Answer,
    run: (db: ControlDb, scope: number, agent: number) => Promise<Answer>,
  ): Promise<Answer> {
    return reader.read(scope, nothing, async (db, id) => {
      const agent = agentId === undefined ? 0 : await findAgent(db, id, agentId);
      return agent === null ? nothing : run(db, id, agent);
    });
  }

  return {
    usage: (scope, window, agentId) =>
      readAgent(scope, agentId, new UsageTotals(window).toUsage(new Map()), (db, id, agent) =>
        readUsage(db, engine, id, agent, window),
      ),
    async breakdown(scope, question) {
      const areSumsFilled = await reader.areSumsFilled();
      const rows = await reader.readFiltered<RankedRow>(scope, question.filter, (id, filter) =>
        rankedRows(engine, id, question, filter, areSumsFilled),
      );
      return await toBreakdown(db, question, rows);
    },
    async costKinds(scope, question) {
      const rows = await reader.readFiltered(scope, question.filter, (id, filter) =>
        costKindRows(engine, id, question, filter),
      );
      return toCostKindBuckets(rows);
    },
    firstCallAt: scope => reader.read<number | null>(scope, null, readFirstCallAt),
    unpricedCalls: (scope, window, of = {}) =>
      of.keyId !== undefined || of.customerId !== undefined
        ? reader.read(scope, 0, (db, id) => readUnpricedOf(db, id, of, window))
        : readAgent(scope, of.agentId, 0, (db, id, agent) =>
            readUnpricedCalls(db, engine, id, agent, window),
          ),
    usageSeries: (scope, unit, window, of) =>
      reader.read<SeriesBucket[]>(scope, [], (db, id) => readUsageSeries(db, id, unit, window, of)),
    costSeries: (scope, unit, window, of) =>
      reader.readLong(scope, id => costSeriesOf(engine, id, unit, window, of)),
    latencyHours: (scope, window, agentId) =>
      readAgent<LatencyHour[]>(scope, agentId, [], (db, id, agent) =>
        readLatencyHours(db, id, agent, window),
      ),
    activeScopes: since => readActiveScopes(db, since),
  };
}

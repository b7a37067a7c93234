import { costKinds } from "@tollgate/core/money/cost-kinds";
import type { CostByKind } from "@tollgate/core/pricing/split-cost";
import { costKindColumns } from "../../database/cost-kind-columns.ts";
import { bucketOf } from "../../database/latency-histogram.ts";
import type { Engine } from "../../database/open-control-database.ts";
import type { ControlDb } from "../../database/schema.ts";
import { type Upsert, upsertRows, type Value } from "../../database/upsert-rows.ts";
import type { EventSummary } from "../../ledger/event-parts.ts";
import { isError, statusCodes } from "../../ledger/status-codes.ts";
import { RollupSums, rollupColumns, totalColumns } from "../rollup-sums.ts";
import type { KnownIds } from "./known-ids.ts";

/** A new event, or a known one whose cost has changed. */
export interface Change {
  readonly kind: "event" | "cost";
  readonly event: EventSummary;
  /** The whole cost of a new event, otherwise the difference. */
  readonly costMicrocents: number;
  /** The kinds of that cost, as far as they are known. */
  readonly costByKind: CostByKind;
  /** 1: its cost is unknown. -1: it was unknown and is known now. */
  readonly unpricedCalls: number;
  /** One of `sourceCodes` for a new event or a fact that has none yet, otherwise 0. */
  readonly sourceCode: number;
}

const factColumns = [
  "seq",
  "scope",
  "created_at",
  "agent",
  "model",
  "status",
  "session",
  "customer",
  "config_version",
  "used_key",
  "latency_ms",
  "input_tokens",
  "output_tokens",
  "cost_microcents",
  "unpriced",
  "source",
  ...costKindColumns,
];
const addFacts: Upsert = { table: "facts", columns: factColumns, key: [], add: [] };
const changeFacts: Upsert = {
  table: "facts",
  columns: factColumns,
  key: ["seq", "created_at"],
  add: ["cost_microcents", "unpriced", "source", ...costKindColumns],
  isUpdate: true,
};
const addExternalIds: Upsert = {
  table: "external_ids",
  columns: ["scope", "external_id", "seq"],
  key: ["scope", "external_id"],
  add: [],
};
const rollup = (table: string, time: string): Upsert => ({
  table,
  columns: ["scope", "agent", "model", time, ...rollupColumns],
  key: ["scope", "agent", time, "model"],
  add: rollupColumns,
});
const addHours = rollup("rollup_hours", "hour");
const addDays = rollup("rollup_days", "day");
const customerSums = (table: string, time: string): Upsert => ({
  table,
  columns: ["scope", "customer", time, ...totalColumns],
  key: ["scope", "customer", time],
  add: totalColumns,
});
const addCustomerDays = customerSums("customer_days", "day");
const addCustomerWeeks = customerSums("customer_weeks", "week");
const subjectSums = (table: string, time: string): Upsert => ({
  table,
  columns: ["scope", "kind", "subject", time, ...totalColumns],
  key: ["scope", "kind", time, "subject"],
  add: totalColumns,
});
const addSubjectHours = subjectSums("subject_hours", "hour");
const addSubjectDays = subjectSums("subject_days", "day");
const addVersionDays: Upsert = {
  table: "agent_version_days",
  columns: ["scope", "agent", "config_version", "day", ...totalColumns],
  key: ["scope", "agent", "day", "config_version"],
  add: totalColumns,
};
const subject = (table: string, key: string): Upsert => ({
  table,
  columns: ["scope", key, ...totalColumns, "first_at", "last_at"],
  key: ["scope", key],
  add: totalColumns,
  least: ["first_at"],
  greatest: ["last_at"],
  returning: ["id", "scope", `${key} AS key`],
});
const addSessions = subject("sessions", "session_id");
const addCustomers = subject("customers", "customer_id");
const addConfigVersions = subject("config_versions", "config_version");
const addUsedKeys = subject("used_keys", "key_id");

/** Applies changes to everything that is derived from events. All changes in one call are of one kind. */
export async function writeReadModel(
  db: ControlDb,
  engine: Engine,
  ids: KnownIds,
  kind: Change["kind"],
  changes: readonly Change[],
): Promise<void> {
  const scopes = await ids.scopes(db, changes);
  const models = await ids.models(db, changes);
  const agents = await ids.agents(db, changes, scopes);
  const counted = changes.map((change, index) => ({
    change,
    scope: idAt(scopes, index),
    part: contributionOf(change),
  }));
  const write = (upsert: Upsert, rows: readonly (readonly Value[])[]) =>
    upsertRows<{ id: number; scope: number; key: string }>(db, engine, upsert, rows);
  const writeInKeyOrder = (upsert: Upsert, rows: number[][]) => write(upsert, inKeyOrder(upsert, rows));
  const idsOf = async (upsert: Upsert, keyOf: (event: EventSummary) => string | null) => {
    const rows = await write(upsert, sumSubjects(counted, keyOf));
    return new Map(rows.map(row => [`${row.scope} ${row.key}`, row.id]));
  };
  const sessions = await idsOf(addSessions, event => event.session_id);
  const customers = await idsOf(addCustomers, event => event.customer_id);
  const versions = await idsOf(addConfigVersions, event => event.config_version);
  const keys = await idsOf(addUsedKeys, event => event.key_id);

  const facts: Value[][] = [];
  const externalIds: Value[][] = [];
  const sums = new RollupSums();
  for (const [index, { change, scope, part }] of counted.entries()) {
    const { event } = change;
    const agent = idAt(agents, index);
    const model = idAt(models, index);
    const customer = subjectId(customers, scope, event.customer_id);
    const configVersion = subjectId(versions, scope, event.config_version);
    const usedKey = subjectId(keys, scope, event.key_id);
    facts.push([
      event.seq,
      scope,
      event.created_at,
      agent,
      model,
      statusCodes[event.status],
      subjectId(sessions, scope, event.session_id),
      customer,
      configVersion,
      usedKey,
      event.latency_ms,
      event.input_tokens,
      event.output_tokens,
      change.costMicrocents,
      change.unpricedCalls,
      change.sourceCode,
      ...costKinds.map(kind => change.costByKind[kind] ?? 0),
    ]);
    if (event.external_id !== null) externalIds.push([scope, event.external_id, event.seq]);
    sums.add({ scope, agent, model, customer, configVersion, usedKey, ...part });
  }
  await write(kind === "event" ? addFacts : changeFacts, facts);
  if (kind === "event") await write(addExternalIds, externalIds);
  const { hours, days } = sums.rollups();
  await writeInKeyOrder(addHours, hours);
  await writeInKeyOrder(addDays, days);
  const subjects = sums.subjects();
  await writeInKeyOrder(addCustomerDays, subjects.customerDays);
  await writeInKeyOrder(addCustomerWeeks, subjects.customerWeeks);
  await writeInKeyOrder(addSubjectHours, subjects.hours);
  await writeInKeyOrder(addSubjectDays, subjects.days);
  await writeInKeyOrder(addVersionDays, sums.agentVersionDays());
}

/** What an event adds to sums; a change of cost adds only the cost. */
function contributionOf({ kind, event, costMicrocents, costByKind, unpricedCalls }: Change) {
  const counts = kind === "event" ? 1 : 0;
  return {
    at: event.created_at,
    calls: counts,
    errors: isError(event.status) ? counts : 0,
    inputTokens: counts * event.input_tokens,
    outputTokens: counts * event.output_tokens,
    costMicrocents,
    costByKind,
    unpricedCalls,
    latencyMs: counts * event.latency_ms,
    bucket: counts === 1 ? bucketOf(event.latency_ms) : null,
  };
}

function sumSubjects(counted: readonly Counted[], keyOf: (event: EventSummary) => string | null): Value[][] {
  const sums = new Map<string, SubjectSum>();
  for (const { change, scope, part } of counted) {
    const key = keyOf(change.event);
    if (key === null) continue;
    const name = `${scope} ${key}`;
    let sum = sums.get(name);
    if (sum === undefined) {
      sum = {
        scope,
        key,
        calls: 0,
        errors: 0,
        input: 0,
        output: 0,
        cost: 0,
        unpriced: 0,
        first: part.at,
        last: part.at,
      };
      sums.set(name, sum);
    }
    sum.calls += part.calls;
    sum.errors += part.errors;
    sum.input += part.inputTokens;
    sum.output += part.outputTokens;
    sum.cost += part.costMicrocents;
    sum.unpriced += part.unpricedCalls;
    sum.first = Math.min(sum.first, part.at);
    sum.last = Math.max(sum.last, part.at);
  }
  return [...sums.values()].map(sum => [
    sum.scope,
    sum.key,
    sum.calls,
    sum.errors,
    sum.input,
    sum.output,
    sum.cost,
    sum.unpriced,
    sum.first,
    sum.last,
  ]);
}

interface Counted {
  readonly change: Change;
  readonly scope: number;
  readonly part: ReturnType<typeof contributionOf>;
}

interface SubjectSum {
  readonly scope: number;
  readonly key: string;
  calls: number;
  errors: number;
  input: number;
  output: number;
  cost: number;
  unpriced: number;
  first: number;
  last: number;
}

/** Sorted like the table's key, so that adjacent rows are written together. */
function inKeyOrder({ columns, key }: Upsert, rows: number[][]): number[][] {
  const places = key.map(column => columns.indexOf(column));
  return rows.sort((a, b) => {
    for (const place of places) {
      const difference = (a[place] ?? 0) - (b[place] ?? 0);
      if (difference !== 0) return difference;
    }
    return 0;
  });
}

function idAt(ids: readonly number[], index: number): number {
  const id = ids[index];
  if (id === undefined) throw new Error("an event's scope, agent or model has no id");
  return id;
}

function subjectId(ids: ReadonlyMap<string, number>, scope: number, key: string | null): number | null {
  if (key === null) return null;
  const id = ids.get(`${scope} ${key}`);
  if (id === undefined)
    throw new Error("a session, customer, config version or key has no id after it was written");
  return id;
}

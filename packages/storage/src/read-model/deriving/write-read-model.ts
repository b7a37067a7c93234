import { costKinds } from "@tollgate/core/money/cost-kinds";
import type { CostByKind } from "@tollgate/core/pricing/split-cost";
import { costKindColumns } from "../../database/cost-kind-columns.ts";
import { bucketOf } from "../../database/latency-histogram.ts";
import type { Engine } from "../../database/open-control-database.ts";
import type { ControlDb, TableName } from "../../database/schema.ts";
import { type Upsert, upsertRows, type Value } from "../../database/upsert-rows.ts";
import { mapInTurns, pauseIfDue } from "../../engine/next-turn.ts";
import type { EventSummary } from "../../ledger/event-parts.ts";
import { isError, statusCodes } from "../../ledger/status-codes.ts";
import {
  type Contribution,
  RollupSums,
  rollupColumns,
  totalColumns,
  versionColumns,
} from "../rollup-sums.ts";
import type { KnownIds } from "./known-ids.ts";
import { idOf, SubjectSums, subjectUpsert, type WrittenSubject } from "./subject-sums.ts";

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
const rollup = (table: TableName, time: string): Upsert => ({
  table,
  columns: ["scope", "agent", time, "model", ...rollupColumns],
  key: ["scope", "agent", time, "model"],
  add: rollupColumns,
});
const addHours = rollup("rollup_hours", "hour");
const addDays = rollup("rollup_days", "day");
const customerSums = (table: TableName, time: string): Upsert => ({
  table,
  columns: ["scope", "customer", time, ...totalColumns],
  key: ["scope", "customer", time],
  add: totalColumns,
});
const addCustomerDays = customerSums("customer_days", "day");
const addCustomerWeeks = customerSums("customer_weeks", "week");
const subjectSums = (table: TableName, time: string): Upsert => ({
  table,
  columns: ["scope", "kind", time, "subject", ...totalColumns],
  key: ["scope", "kind", time, "subject"],
  add: totalColumns,
});
const addSubjectHours = subjectSums("subject_hours", "hour");
const addSubjectDays = subjectSums("subject_days", "day");
const addVersionDays: Upsert = {
  table: "agent_version_days",
  columns: ["scope", "agent", "day", "config_version", ...versionColumns],
  key: ["scope", "agent", "day", "config_version"],
  add: versionColumns,
};
const addSessions = subjectUpsert("sessions", "session_id");
const addCustomers = subjectUpsert("customers", "customer_id");
const addConfigVersions = subjectUpsert("config_versions", "config_version");
const addUsedKeys = subjectUpsert("used_keys", "key_id");

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
  await pauseIfDue();
  const sessions = new SubjectSums();
  const customers = new SubjectSums();
  const versions = new SubjectSums();
  const keys = new SubjectSums();
  const counted = await mapInTurns(changes, (change, index) => {
    const scope = idAt(scopes, index);
    const part = contributionOf(change);
    const { event } = change;
    return {
      change,
      scope,
      part,
      session: sessions.add(scope, event.session_id, part),
      customer: customers.add(scope, event.customer_id, part),
      version: versions.add(scope, event.config_version, part),
      key: keys.add(scope, event.key_id, part),
    };
  });
  const write = (upsert: Upsert, rows: readonly (readonly Value[])[]) =>
    upsertRows<WrittenSubject>(db, engine, upsert, rows);
  sessions.identify(await write(addSessions, sessions.rows()));
  customers.identify(await write(addCustomers, customers.rows()));
  versions.identify(await write(addConfigVersions, versions.rows()));
  keys.identify(await write(addUsedKeys, keys.rows()));

  const externalIds: Value[][] = [];
  const sums = new RollupSums();
  const facts = await mapInTurns(counted, (row, index): Value[] => {
    const { change, scope, part } = row;
    const { event } = change;
    const agent = idAt(agents, index);
    const model = idAt(models, index);
    const customer = idOf(row.customer);
    const configVersion = idOf(row.version);
    const usedKey = idOf(row.key);
    const fact = [
      event.seq,
      scope,
      event.created_at,
      agent,
      model,
      statusCodes[event.status],
      idOf(row.session),
      customer,
      configVersion,
      usedKey,
      event.latency_ms,
      event.input_tokens,
      event.output_tokens,
      change.costMicrocents,
      change.unpricedCalls,
      change.sourceCode,
    ];
    for (const kind of costKinds) fact.push(change.costByKind[kind] ?? 0);
    if (event.external_id !== null) externalIds.push([scope, event.external_id, event.seq]);
    sums.add({ scope, agent, model, customer, configVersion, usedKey }, part);
    return fact;
  });
  await write(kind === "event" ? addFacts : changeFacts, facts);
  if (kind === "event") await write(addExternalIds, externalIds);
  const { hours, days } = sums.rollups();
  await pauseIfDue();
  await write(addHours, hours);
  await write(addDays, days);
  const subjects = sums.subjects();
  await pauseIfDue();
  await write(addCustomerDays, subjects.customerDays);
  await write(addCustomerWeeks, subjects.customerWeeks);
  await write(addSubjectHours, subjects.hours);
  await write(addSubjectDays, subjects.days);
  await write(addVersionDays, sums.agentVersionDays());
}

/** What an event adds to sums; a change of cost adds only the cost. */
function contributionOf({ kind, event, costMicrocents, costByKind, unpricedCalls }: Change): Contribution {
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
    sessionCalls: event.session_id === null ? 0 : counts,
    latencyMs: counts * event.latency_ms,
    bucket: counts === 1 ? bucketOf(event.latency_ms) : null,
  };
}

function idAt(ids: readonly number[], index: number): number {
  const id = ids[index];
  if (id === undefined) throw new Error("an event's scope, agent or model has no id");
  return id;
}

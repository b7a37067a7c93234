import { DAY_MS } from "@tollgate/core/time/durations";
import { startOfDay } from "@tollgate/core/time/start-of-day";
import { type RawBuilder, sql } from "kysely";
import type { Engine } from "../../database/open-control-database.ts";
import type { ControlDb } from "../../database/schema.ts";
import { storableName } from "../../ledger/storable-name.ts";
import { factsOfAgent, factsWith } from "../fact-lists.ts";
import type { Page, Position } from "../page.ts";
import type { SubjectTotals } from "../queries/subject-queries.ts";
import type { DayTotals } from "../queries/usage-queries.ts";
import { totalsOfFacts } from "../sum-of.ts";
import type { VisibleWindow, Window } from "../window.ts";
import type { ResolvedFilter } from "./resolve-filter.ts";

/** Sessions, customers and config versions are alike: calls belong to them, and they have lifetime totals. */
export interface SubjectKind {
  readonly table: "sessions" | "customers" | "config_versions";
  readonly key: "session_id" | "customer_id" | "config_version";
  /** Its column in `facts`. */
  readonly fact: "session" | "customer" | "config_version";
}

export const sessionKind: SubjectKind = { table: "sessions", key: "session_id", fact: "session" };
export const customerKind: SubjectKind = { table: "customers", key: "customer_id", fact: "customer" };
export const configVersionKind: SubjectKind = {
  table: "config_versions",
  key: "config_version",
  fact: "config_version",
};

type SubjectRow = SubjectTotals & { readonly id: number };

const columns = (key: string) => sql`id, ${sql.ref(key)} AS "key", calls, errors, input_tokens, output_tokens,
  cost_microcents, unpriced_calls, first_at, last_at`;

export async function readSubjects(
  db: ControlDb,
  engine: Engine,
  kind: SubjectKind,
  scope: number,
  window: VisibleWindow,
  limit: number,
  after?: Position,
): Promise<Page<SubjectTotals>> {
  const { rows } = await pageOfSubjects(engine, kind, scope, window, limit, after).execute(db);
  return await toSubjectPage(db, engine, kind, scope, window, limit, rows);
}

/** One extra row shows whether there is another page. With a filter, those with a call in the window that matches. */
export function pageOfSubjects(
  engine: Engine,
  { table, key, fact }: SubjectKind,
  scope: number,
  window: VisibleWindow,
  limit: number,
  after?: Position,
  filter: Pick<ResolvedFilter, "agent" | "customer"> = {},
): RawBuilder<SubjectRow> {
  const afterCursor =
    after === undefined
      ? sql``
      : sql`AND last_at <= ${after.at} AND (last_at < ${after.at} OR id < ${after.seq})`;
  const { agent, customer } = filter;
  // Customers have fewer calls.
  const facts =
    customer === undefined
      ? factsOfAgent(engine, scope, agent ?? 0, window)
      : factsWith(engine, scope, "customer", sql`= ${customer}`, window);
  const withCalls =
    agent === undefined && customer === undefined
      ? sql``
      : sql`AND id IN (SELECT ${sql.ref(fact)} FROM ${facts} AS facts
          WHERE scope = ${scope} ${agent === undefined ? sql`` : sql`AND agent = ${agent}`}
            AND created_at >= ${window.from} AND created_at < ${window.to} AND ${sql.ref(fact)} IS NOT NULL)`;
  return sql<SubjectRow>`
    SELECT ${columns(key)} FROM ${sql.table(table)}
    WHERE scope = ${scope} AND last_at >= ${window.from} AND first_at < ${window.to} ${withCalls} ${afterCursor}
    ORDER BY last_at DESC, id DESC LIMIT ${limit + 1}`;
}

export async function toSubjectPage(
  db: ControlDb,
  engine: Engine,
  kind: SubjectKind,
  scope: number,
  window: VisibleWindow,
  limit: number,
  rows: readonly SubjectRow[],
): Promise<Page<SubjectTotals>> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    rows: await visibleTotals(db, engine, kind, scope, shown, window.visibleFrom ?? 0),
    next: rows.length > limit && last !== undefined ? { at: last.last_at, seq: last.id } : null,
  };
}

export async function readSubject(
  db: ControlDb,
  engine: Engine,
  kind: SubjectKind,
  scope: number,
  name: string,
  visibleFrom: number,
): Promise<SubjectTotals | null> {
  const row = await findSubject(db, kind, scope, name);
  if (row === null || row.last_at < visibleFrom) return null;
  const [visible] = await visibleTotals(db, engine, kind, scope, [row], visibleFrom);
  return visible ?? null;
}

/**
 * If it started before the visible history, its visible part is summed from events. Only tiers with a bounded history
 * need this, and their traffic is bounded too.
 */
async function visibleTotals(
  db: ControlDb,
  engine: Engine,
  { fact }: SubjectKind,
  scope: number,
  rows: readonly SubjectRow[],
  visibleFrom: number,
): Promise<SubjectTotals[]> {
  const older = rows.filter(row => row.first_at < visibleFrom).map(({ id }) => id);
  if (older.length === 0) return rows.map(withoutId);
  const isOlder = sql`IN (${sql.join(older)})`;
  // Sessions have an index.
  const facts =
    fact === "session" ? sql`facts` : factsWith(engine, scope, fact, isOlder, { from: visibleFrom });
  const { rows: found } = await sql<Omit<SubjectRow, "key" | "last_at">>`
    SELECT ${sql.ref(fact)} AS id, CAST(min(created_at) AS BIGINT) AS first_at, ${sql.join(totalsOfFacts)}
    FROM ${facts} AS facts
    WHERE scope = ${scope} AND ${sql.ref(fact)} ${isOlder} AND created_at >= ${visibleFrom}
    GROUP BY ${sql.ref(fact)}`.execute(db);
  const visible = new Map(found.map(row => [row.id, row]));
  return rows.map(row => withoutId({ ...row, ...visible.get(row.id) }));
}

async function findSubject(
  db: ControlDb,
  { table, key }: SubjectKind,
  scope: number,
  name: string,
): Promise<SubjectRow | null> {
  const { rows } = await sql<SubjectRow>`
    SELECT ${columns(key)} FROM ${sql.table(table)}
    WHERE scope = ${scope} AND ${sql.ref(key)} = ${storableName(name)}`.execute(db);
  return rows[0] ?? null;
}

type CustomerDay = Omit<DayTotals, "latency_sum_ms">;

/** Whole days from their sums; a day that the window cuts, from its events. */
export async function readCustomerDays(
  db: ControlDb,
  engine: Engine,
  scope: number | null,
  customerId: string,
  window: Window,
): Promise<CustomerDay[]> {
  const days = new Map<number, CustomerDay>();
  const first = startOfDay(window.from);
  for (let day = first; day < window.to && window.from < window.to; day += DAY_MS) {
    days.set(day, {
      day,
      calls: 0,
      errors: 0,
      input_tokens: 0,
      output_tokens: 0,
      cost_microcents: 0,
      unpriced_calls: 0,
    });
  }
  const customer = scope === null ? null : await findSubject(db, customerKind, scope, customerId);
  if (scope === null || customer === null) return [...days.values()];

  const whole = {
    from: Math.ceil(window.from / DAY_MS) * DAY_MS,
    to: startOfDay(window.to),
  };
  const rows = await db
    .selectFrom("customer_days")
    .select(["day", "calls", "errors", "input_tokens", "output_tokens", "cost_microcents", "unpriced_calls"])
    .where("scope", "=", scope)
    .where("customer", "=", customer.id)
    .where("day", ">=", whole.from)
    .where("day", "<", whole.to)
    .execute();
  for (const row of rows) days.set(row.day, row);
  for (const day of days.keys()) {
    if (day >= whole.from && day < whole.to) continue;
    const part = { from: Math.max(day, window.from), to: Math.min(day + DAY_MS, window.to) };
    const { rows: cut } = await sql<Omit<CustomerDay, "day">>`
      SELECT ${sql.join(totalsOfFacts)}
      FROM ${factsWith(engine, scope, "customer", sql`= ${customer.id}`, part)} AS facts
      WHERE created_at >= ${part.from} AND created_at < ${part.to}`.execute(db);
    if (cut[0]) days.set(day, { day, ...cut[0] });
  }
  return [...days.values()];
}

function withoutId({ id: _, ...totals }: SubjectRow): SubjectTotals {
  return totals;
}

import { alertSeverities, alertTypes } from "@tollgate/core/alerts/alert-types";
import { type BudgetPeriod, periodSpan } from "@tollgate/core/budgets/period";
import { DAY_MS } from "@tollgate/core/time/durations";
import type { ControlDb, ControlSchema } from "@tollgate/storage/database/schema";
import { openForWriting } from "@tollgate/storage/engine/sqlite";
import type { Insertable } from "kysely";
import { organizationRow } from "../../test/support/rows/organization-row.ts";
import { ORGANIZATION, OTHER_ORGANIZATION } from "./sample-traffic.ts";
import {
  boundedAgent,
  cachedAgent,
  END,
  stagedExperiments,
  switched,
  TREATMENT_MODEL,
} from "./staged-fleet.ts";

const DOLLAR = 10_000_000;
const ALERTS = 500;
const ROWS_AT_ONCE = 500;
const START = END - 90 * DAY_MS;

/** Where an outcome may be reported: a call of the traffic, in a session. */
export interface Moment {
  readonly at: number;
  readonly sessionId: string;
  readonly agentKey: string;
}

export interface Seed {
  readonly db: ControlDb;
  readonly ledgerPath: string;
  /** Live agents by key. */
  readonly agentIds: ReadonlyMap<string, string>;
  readonly moments: readonly Moment[];
}

const scope = { org_id: ORGANIZATION, mode: "live" } as const;

/** 90 days of user settings and reports, before anything is derived. */
export async function seedControl(seed: Seed): Promise<void> {
  const { db } = seed;
  await db
    .insertInto("organizations")
    .values([
      organizationRow({ id: ORGANIZATION, name: "Bench", created_at: START }),
      organizationRow({ id: OTHER_ORGANIZATION, name: "Neighbour", created_at: START }),
    ])
    .execute();
  await db.insertInto("agent_settings").values(agentSettings(seed)).execute();
  await db.insertInto("alert_thresholds").values(thresholds(seed)).execute();
  await db.insertInto("optimizations").values(optimizations(seed)).execute();
  await db.insertInto("experiments").values(experiments(seed)).execute();
  const budgetRows = budgets(seed);
  await db.insertInto("budgets").values(budgetRows).execute();
  writeSpending(seed.ledgerPath, budgetRows);
  await inParts(alerts(seed), rows =>
    db
      .insertInto("alerts")
      .values([...rows])
      .execute(),
  );
  await inParts(outcomes(seed), rows =>
    db
      .insertInto("outcomes")
      .values([...rows])
      .execute(),
  );
}

async function inParts<Row>(rows: readonly Row[], insert: (rows: readonly Row[]) => Promise<unknown>) {
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    await insert(rows.slice(from, from + ROWS_AT_ONCE));
  }
}

function idOf({ agentIds }: Seed, agentKey: string): string {
  const id = agentIds.get(agentKey);
  if (id === undefined) throw new Error(`${agentKey} has made no call`);
  return id;
}

function agentSettings({ agentIds }: Seed): Insertable<ControlSchema["agent_settings"]>[] {
  return [...agentIds].slice(0, 120).map(([agent_key, agent_id], index) => ({
    ...scope,
    agent_id,
    agent_key,
    name: `The agent ${index}`,
    metadata: JSON.stringify({ category: ["support", "sales", "research"][index % 3] }),
    archived_at: index % 40 === 39 ? END - 5 * DAY_MS : null,
    paused_at: null,
    updated_at: END - 10 * DAY_MS,
  }));
}

function budgets(seed: Seed): Insertable<ControlSchema["budgets"]>[] {
  const budget = (agentKey: string | null, period: BudgetPeriod, dollars: number) => ({
    ...scope,
    id: crypto.randomUUID(),
    agent_id: agentKey === null ? null : idOf(seed, agentKey),
    agent_key: agentKey,
    period,
    limit_microcents: dollars * DOLLAR,
    warning_pct: 80,
    enforcement_mode: "alert_only",
    strict: 0,
    status: "active",
    since: START,
    created_at: START,
    updated_at: START,
  });
  return [
    budget(null, "monthly", 100_000),
    budget(null, "daily", 5000),
    ...Array.from({ length: 10 }, (_, index) =>
      budget(`agent-${index}`, index % 2 === 0 ? "daily" : "monthly", 200 * (index + 1)),
    ),
  ];
}

/** Normally the gateway counts this with its calls, but the bench makes none. */
function writeSpending(ledgerPath: string, rows: readonly Insertable<ControlSchema["budgets"]>[]): void {
  const ledger = openForWriting(ledgerPath, "normal");
  const insert = ledger.query(
    "INSERT INTO budget_spend (budget_id, since, period, spent_microcents) VALUES (?, ?, ?, ?)",
  );
  for (const [index, row] of rows.entries()) {
    const { id: period } = periodSpan(row.period === "daily" ? "daily" : "monthly", END);
    insert.run(row.id, row.since, period, Math.floor(row.limit_microcents * (0.2 + 0.1 * index)));
  }
  ledger.close();
}

function thresholds(seed: Seed): Insertable<ControlSchema["alert_thresholds"]>[] {
  const metrics = { daily_cost: 500_000, error_rate: 0.2, latency_p99: 60_000 };
  return [null, "agent-0", "agent-1", "agent-2"].flatMap(agentKey =>
    Object.entries(metrics).map(([metric, threshold_value]) => ({
      ...scope,
      id: crypto.randomUUID(),
      agent_id: agentKey === null ? null : idOf(seed, agentKey),
      agent_key: agentKey,
      metric,
      threshold_value,
      action: "email",
      created_at: START,
      updated_at: START,
    })),
  );
}

function optimizations(seed: Seed): Insertable<ControlSchema["optimizations"]>[] {
  const applied = (agent_key: string, optimization_type: string, payload: object) => ({
    ...scope,
    id: crypto.randomUUID(),
    agent_id: idOf(seed, agent_key),
    agent_key,
    optimization_type,
    payload: JSON.stringify(payload),
    source: "suggestion",
    applied_by: "bench",
    applied_at: switched.from,
    undone_at: null,
  });
  return [
    applied(switched.agentKey, "model_switch", { model: switched.model }),
    applied(cachedAgent, "prompt_caching", {}),
    applied(boundedAgent, "token_guardrails", { max_output_tokens: 1000 }),
  ];
}

function experiments(seed: Seed): Insertable<ControlSchema["experiments"]>[] {
  return stagedExperiments.map(({ id, agentKey, metric, from, to }) => ({
    ...scope,
    id,
    agent_id: idOf(seed, agentKey),
    agent_key: agentKey,
    name: `A cheaper model for ${agentKey}`,
    control_model: "gpt-4o",
    treatment_model: TREATMENT_MODEL,
    traffic_pct: 30,
    primary_metric: metric,
    max_duration_days: Math.round((to - from) / DAY_MS),
    auto_promote: 0,
    status: "running",
    created_at: from,
    ends_at: to,
    ended_at: null,
    end_reason: null,
    winner: null,
    results: null,
    updated_at: from,
  }));
}

/** Each was resolved after an hour, so the alert watcher has nothing to resolve. */
function alerts({ agentIds }: Seed): Insertable<ControlSchema["alerts"]>[] {
  const ids = [...agentIds.values()];
  return Array.from({ length: ALERTS }, (_, index) => {
    const triggered_at = Math.floor(START + ((index + 0.5) / ALERTS) * 90 * DAY_MS);
    return {
      ...scope,
      id: Bun.randomUUIDv7("hex", triggered_at),
      alert_key: `bench ${index}`,
      type: alertTypes[index % alertTypes.length] ?? "error_rate",
      severity: alertSeverities[index % alertSeverities.length] ?? "info",
      message: "Something was unusual",
      metadata: "{}",
      agent_id: ids[index % ids.length] ?? null,
      triggered_at,
      read_at: index % 3 === 0 ? null : triggered_at + 60_000,
      rule_key: `bench ${index}`,
      resolved_at: triggered_at + 3_600_000,
      live_seq: 0,
    };
  });
}

function outcomes(seed: Seed): Insertable<ControlSchema["outcomes"]>[] {
  const types = ["ticket_resolved", "lead_qualified", "order_placed", null];
  return seed.moments.map(({ at, sessionId, agentKey }, index) => ({
    ...scope,
    id: Bun.randomUUIDv7("hex", at),
    name: `outcome ${index % 20}`,
    session_id: sessionId,
    agent_id: index % 3 === 0 ? idOf(seed, agentKey) : null,
    event_id: null,
    outcome_type: types[index % types.length] ?? null,
    source: "api",
    success: index % 5 === 0 ? 0 : 1,
    value_cents: index % 5 === 0 ? null : 100 + (index % 900),
    notes: null,
    metadata: "{}",
    confirmed_by: null,
    confirmed_at: null,
    created_at: at + 1000,
  }));
}

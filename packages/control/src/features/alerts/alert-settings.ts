import { type AlertPreferences, readAlertPreferences } from "@tollgate/core/alerts/preferences";
import type { Threshold } from "@tollgate/core/alerts/threshold";
import { type Mode, modes } from "@tollgate/core/event";
import { fromRow } from "@tollgate/storage/database/from-row";
import type { ControlDb, TableRow } from "@tollgate/storage/database/schema";
import { type Scope, scopeName } from "@tollgate/storage/ledger/scope";
import { sql } from "kysely";
import type { BudgetRow } from "../budgets/read-budgets.ts";

export interface ScopeSettings {
  readonly preferences: AlertPreferences;
  /** Active budgets. */
  readonly budgets: readonly BudgetRow[];
  readonly thresholds: readonly Threshold[];
  /** Public ids of agents that are not expected to call: archived or paused. */
  readonly exceptedAgents: ReadonlySet<string>;
}

type Table = "alert_preferences" | "budgets" | "alert_thresholds" | "agent_settings";
type Rows = { readonly [table in Table]: readonly TableRow<table>[] };

const defaults: ScopeSettings = {
  preferences: readAlertPreferences(null),
  budgets: [],
  thresholds: [],
  exceptedAgents: new Set(),
};

/**
 * The settings that alerts depend on, cached in memory, so that evaluating a call needs no database query. They are
 * read again only when one of two revision numbers has changed.
 */
export class AlertSettings {
  #revision: number | null = null;
  #known = new Map<
    string,
    { readonly scope: Scope; readonly text: string; readonly settings: ScopeSettings }
  >();

  /** Organizations that are inactive or suspended. */
  #inactive: ReadonlySet<string> = new Set();

  constructor(private readonly db: ControlDb) {}

  of(scope: Scope): ScopeSettings {
    return this.#known.get(scopeName(scope))?.settings ?? defaults;
  }

  /** Nobody can see or cause alerts of an organization that is inactive or suspended. */
  isActive({ orgId }: Scope): boolean {
    return !this.#inactive.has(orgId);
  }

  /** Resolves with the scopes whose settings have changed; the first time, with all that have settings. */
  async refresh(): Promise<Scope[]> {
    // Read before the rest: a concurrent change is seen now, and again at the next refresh.
    const revision = await this.#readRevision();
    if (revision === this.#revision) return [];
    const before = this.#known;
    this.#known = group(await this.#read());
    const inactiveBefore = this.#inactive;
    this.#inactive = await this.#readInactive();
    this.#revision = revision;
    const changed = new Map<string, Scope>();
    for (const orgId of inactiveBefore.difference(this.#inactive)) {
      for (const mode of modes) changed.set(scopeName({ orgId, mode }), { orgId, mode });
    }
    for (const [name, { scope, text }] of this.#known) {
      if (before.get(name)?.text !== text) changed.set(name, scope);
    }
    for (const [name, { scope }] of before) if (!this.#known.has(name)) changed.set(name, scope);
    return [...changed.values()];
  }

  /** Makes the next refresh report everything as changed. */
  forget(): void {
    this.#revision = null;
    this.#known.clear();
  }

  async #readRevision(): Promise<number> {
    const { rows } = await sql<{ revision: number }>`
      SELECT (SELECT revision FROM config_revision) + (SELECT revision FROM alert_revision) AS revision`.execute(
      this.db,
    );
    return rows[0]?.revision ?? 0;
  }

  async #readInactive(): Promise<ReadonlySet<string>> {
    const rows = await this.db
      .selectFrom("organizations")
      .select("id")
      .where("status", "<>", "active")
      .execute();
    return new Set(rows.map(({ id }) => id));
  }

  async #read(): Promise<Rows> {
    const preferences = await this.db.selectFrom("alert_preferences").selectAll().execute();
    const budgets = await this.db.selectFrom("budgets").selectAll().where("status", "=", "active").execute();
    const thresholds = await this.db.selectFrom("alert_thresholds").selectAll().orderBy("id").execute();
    const settings = await this.db
      .selectFrom("agent_settings")
      .selectAll()
      .where(({ eb, or }) => or([eb("archived_at", "is not", null), eb("paused_at", "is not", null)]))
      .execute();
    return {
      alert_preferences: preferences,
      budgets: budgets.map(row => fromRow("budgets", row)),
      alert_thresholds: thresholds.map(row => fromRow("alert_thresholds", row)),
      agent_settings: settings.map(row => fromRow("agent_settings", { ...row, id: row.agent_id })),
    };
  }
}

function group(rows: Rows) {
  const drafts = new Map<
    string,
    {
      scope: Scope;
      preferences: string | null;
      budgets: BudgetRow[];
      thresholds: Threshold[];
      excepted: string[];
    }
  >();
  const draftOf = (orgId: string, mode: Mode) => {
    const scope: Scope = { orgId, mode };
    const name = scopeName(scope);
    const known = drafts.get(name);
    if (known) return known;
    const draft = { scope, preferences: null, budgets: [], thresholds: [], excepted: [] };
    drafts.set(name, draft);
    return draft;
  };
  for (const row of rows.alert_preferences) {
    for (const mode of modes) draftOf(row.org_id, mode).preferences = row.preferences;
  }
  for (const row of rows.budgets) draftOf(row.org_id, row.mode).budgets.push(row);
  for (const row of rows.alert_thresholds) draftOf(row.org_id, row.mode).thresholds.push(toThreshold(row));
  for (const row of rows.agent_settings) draftOf(row.org_id, row.mode).excepted.push(row.agent_id);
  return new Map(
    [...drafts].map(([name, { scope, preferences, budgets, thresholds, excepted }]) => [
      name,
      {
        scope,
        text: JSON.stringify([preferences, budgets, thresholds, excepted.sort()]),
        settings: {
          preferences: readAlertPreferences(preferences),
          budgets,
          thresholds,
          exceptedAgents: new Set(excepted),
        },
      },
    ]),
  );
}

export function toThreshold(row: TableRow<"alert_thresholds">): Threshold {
  return {
    id: row.id,
    agentId: row.agent_id,
    agentKey: row.agent_key,
    metric: row.metric,
    value: row.threshold_value,
    action: row.action,
  };
}

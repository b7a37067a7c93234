import type { Database } from "bun:sqlite";
import type { Mode } from "@tollgate/core/event";
import type { Tier } from "@tollgate/core/tiers";
import { migrate, openForWriting } from "../sqlite.ts";
import { digestOf, newKeyText } from "./api-key.ts";
import { controlMigrations } from "./migrations.ts";

export type OrganizationStatus = "active" | "inactive" | "suspended";
export type Scope = "read" | "write";

export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly tier: Tier;
  readonly status: OrganizationStatus;
  readonly burst_per_minute: number | null;
  readonly monthly_calls: number | null;
  readonly created_at: number;
}

export interface CreatedKey {
  readonly id: string;
  /** Shown once, stored nowhere. */
  readonly key: string;
}

/** A key as it can be shown for ever: by its last four characters. */
export interface ListedKey {
  readonly id: string;
  readonly mode: Mode;
  readonly scope: Scope;
  readonly last_four: string;
  readonly created_at: number;
  readonly revoked_at: number | null;
}

export interface OrganizationChange {
  readonly tier?: Tier;
  readonly status?: OrganizationStatus;
  /** null: the tier's own. */
  readonly burst_per_minute?: number | null;
  readonly monthly_calls?: number | null;
}

/** The writer of `control.db`: the control plane and the CLI, never the gateway. */
export class ControlStore {
  readonly #database: Database;

  constructor(path: string) {
    this.#database = openForWriting(path, "full");
    migrate(this.#database, controlMigrations);
  }

  get isEmpty(): boolean {
    return this.#database.query("SELECT 1 FROM organizations LIMIT 1").get() === null;
  }

  createOrganization(name: string, tier: Tier, now: number): Organization {
    const id = crypto.randomUUID();
    const salt = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex");
    this.#database
      .query(
        `INSERT INTO organizations (id, name, tier, status, hash_salt, created_at) VALUES (?, ?, ?, 'active', ?, ?)`,
      )
      .run(id, name, tier, salt, now);
    return {
      id,
      name,
      tier,
      status: "active",
      burst_per_minute: null,
      monthly_calls: null,
      created_at: now,
    };
  }

  findOrganization(id: string): Organization | null {
    return this.#database
      .query<Organization, [string]>(
        "SELECT id, name, tier, status, burst_per_minute, monthly_calls, created_at FROM organizations WHERE id = ?",
      )
      .get(id);
  }

  updateOrganization(id: string, change: OrganizationChange): Organization | null {
    const current = this.findOrganization(id);
    if (!current) return null;
    const next = { ...current, ...change };
    this.#database
      .query(
        "UPDATE organizations SET tier = ?, status = ?, burst_per_minute = ?, monthly_calls = ? WHERE id = ?",
      )
      .run(next.tier, next.status, next.burst_per_minute, next.monthly_calls, id);
    return next;
  }

  createKey(orgId: string, mode: Mode, scope: Scope, now: number): CreatedKey {
    const id = crypto.randomUUID();
    const key = newKeyText(mode);
    this.#database
      .query(
        "INSERT INTO api_keys (id, org_id, digest, last_four, mode, scope, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
      )
      .run(id, orgId, digestOf(key), key.slice(-4), mode, scope, now);
    return { id, key };
  }

  organizations(): Organization[] {
    return this.#database
      .query<Organization, []>(
        "SELECT id, name, tier, status, burst_per_minute, monthly_calls, created_at FROM organizations ORDER BY created_at",
      )
      .all();
  }

  keysOf(orgId: string): ListedKey[] {
    return this.#database
      .query<ListedKey, [string]>(
        "SELECT id, mode, scope, last_four, created_at, revoked_at FROM api_keys WHERE org_id = ? ORDER BY created_at",
      )
      .all(orgId);
  }

  /** False if there is no such key. A second revocation keeps the first one's time. */
  revokeKey(id: string, now: number): boolean {
    const { changes } = this.#database
      .query("UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?")
      .run(now, id);
    return changes > 0;
  }

  /** What an event costs beyond the ledger, for every event that was rerated. */
  adjustments(): Map<string, number> {
    const rows = this.#database
      .query<{ event_id: string; amount: number }, []>(
        "SELECT event_id, sum(amount_microcents) AS amount FROM adjustments GROUP BY event_id",
      )
      .all();
    return new Map(rows.map(row => [row.event_id, row.amount]));
  }

  addAdjustments(rows: readonly Adjustment[], now: number): void {
    const add = this.#database.query(
      `INSERT INTO adjustments (event_id, org_id, amount_microcents, price_version, card, created_at)
       VALUES (?, ?, ?, ?, ?, ?)`,
    );
    this.#database.transaction(() => {
      for (const row of rows) {
        add.run(row.event_id, row.org_id, row.amount_microcents, row.price_version, row.card, now);
      }
    })();
  }

  close(): void {
    this.#database.close();
  }
}

export interface Adjustment {
  readonly event_id: string;
  readonly org_id: string;
  readonly amount_microcents: number;
  readonly price_version: string;
  readonly card: string;
}

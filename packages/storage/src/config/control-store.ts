import type { Mode } from "@tollgate/core/event";
import type { Tier } from "@tollgate/core/limits/tiers";
import type { OrganizationPrice } from "@tollgate/core/pricing/overrides";
import type { Rerating } from "@tollgate/core/pricing/rerate";
import { sql } from "kysely";
import { fromRow } from "../database/from-row.ts";
import {
  type ControlDatabase,
  type ControlDatabaseOptions,
  openControlDatabase,
} from "../database/open-control-database.ts";
import type { ControlDb, EnumValue } from "../database/schema.ts";
import { advisoryLocks } from "../engine/advisory-locks.ts";
import { AuditTrail } from "./audit-trail.ts";
import { auditedDb } from "./audited-db.ts";
import { bookReratings } from "./book-reratings.ts";
import { newId } from "./new-id.ts";
import { newKey, type Permission } from "./new-key.ts";

export type OrganizationStatus = EnumValue<"organizations", "status">;

export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly tier: Tier;
  readonly status: OrganizationStatus;
  readonly burst_per_minute: number | null;
  readonly monthly_calls: number | null;
  /** 1 or 0. */
  readonly optimization_model_v3: number;
  readonly created_at: number;
}

interface CreatedKey {
  readonly id: string;
  /** Shown once, never stored. */
  readonly key: string;
}

/** A key as it can be listed, by its last four characters. */
interface ListedKey {
  readonly id: string;
  readonly mode: Mode;
  readonly scope: Permission;
  readonly last_four: string;
  readonly created_by: string | null;
  readonly created_at: number;
  readonly revoked_at: number | null;
}

export interface OrganizationChange {
  readonly tier?: Tier;
  readonly status?: OrganizationStatus;
  /** null: use the tier's default. */
  readonly burst_per_minute?: number | null;
  readonly monthly_calls?: number | null;
  readonly optimization_model_v3?: number;
}

const organizationColumns = [
  "id",
  "name",
  "tier",
  "status",
  "burst_per_minute",
  "monthly_calls",
  "optimization_model_v3",
  "created_at",
] as const;

/** The command line's writes to the control database: organizations, keys and adjustments. */
export class ControlStore {
  private constructor(readonly database: ControlDatabase) {}

  /** Closed by its owner. */
  static over(database: ControlDatabase): ControlStore {
    return new ControlStore(database);
  }

  /** With the name of a command, its changes are recorded in the audit log. */
  static async open(options: ControlDatabaseOptions, command?: string): Promise<ControlStore> {
    const database = await openControlDatabase(options);
    if (command === undefined) return new ControlStore(database);
    const trail = new AuditTrail(
      {
        operation: command,
        actorKind: "cli",
        actor: "cli",
        scope: null,
        objectId: null,
        sessionId: null,
        ip: null,
        client: null,
      },
      { now: Date.now, newId },
    );
    return new ControlStore({ ...database, db: auditedDb(database.db, trail) });
  }

  get #db(): ControlDb {
    return this.database.db;
  }

  /** Of several control planes that start together, one at a time does the work. A file has one process. */
  async alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const { db, engine } = this.database;
    if (engine === "sqlite") return work();
    return db.transaction().execute(async lock => {
      await sql`SELECT pg_advisory_xact_lock(${sql.lit(advisoryLocks.firstRun)})`.execute(lock);
      return work();
    });
  }

  async isEmpty(): Promise<boolean> {
    return (
      (await this.#db.selectFrom("organizations").select("id").limit(1).executeTakeFirst()) === undefined
    );
  }

  async createOrganization(name: string, tier: Tier, now: number): Promise<Organization> {
    const organization: Organization = {
      id: newId(),
      name,
      tier,
      status: "active",
      burst_per_minute: null,
      monthly_calls: null,
      optimization_model_v3: 0,
      created_at: now,
    };
    const hash_salt = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex");
    await this.#db
      .insertInto("organizations")
      .values({ ...organization, hash_salt })
      .execute();
    return organization;
  }

  async findOrganization(id: string): Promise<Organization | null> {
    const row = await this.#present().where("id", "=", id).executeTakeFirst();
    return row ? fromRow("organizations", row) : null;
  }

  async updateOrganization(id: string, change: OrganizationChange): Promise<Organization | null> {
    const row = await this.#db
      .updateTable("organizations")
      .set(change)
      .where("id", "=", id)
      .returning(organizationColumns)
      .executeTakeFirst();
    return row ? fromRow("organizations", row) : null;
  }

  async organizations(): Promise<Organization[]> {
    const rows = await this.#present().orderBy("created_at").execute();
    return rows.map(row => fromRow("organizations", row));
  }

  /** The row of a removed demo only marks events of the ledger. */
  #present() {
    return this.#db
      .selectFrom("organizations")
      .select(organizationColumns)
      .where("id", "not in", ({ selectFrom }) =>
        selectFrom("demos").select("org_id").where("status", "=", "removed"),
      );
  }

  async createKey(orgId: string, mode: Mode, permission: Permission, now: number): Promise<CreatedKey> {
    const id = newId();
    const { key, row } = newKey({
      id,
      orgId,
      mode,
      permission,
      role: "owner",
      name: null,
      creator: { shownAs: "cli", userId: null },
      now,
    });
    await this.#db.insertInto("api_keys").values(row).execute();
    return { id, key };
  }

  async archivedAgents(orgId: string, mode: Mode): Promise<number> {
    const { count } = await this.#db
      .selectFrom("agent_settings")
      .where("org_id", "=", orgId)
      .where("mode", "=", mode)
      .where("archived_at", "is not", null)
      .select(({ fn }) => fn.countAll().as("count"))
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async keysOf(orgId: string): Promise<ListedKey[]> {
    const rows = await this.#db
      .selectFrom("api_keys")
      .select(["id", "mode", "scope", "last_four", "created_by", "created_at", "revoked_at"])
      .where("org_id", "=", orgId)
      .orderBy("created_at")
      .execute();
    return rows.map(row => fromRow("api_keys", row));
  }

  /** False if there is no such key. Revoking again keeps the first time. */
  async revokeKey(id: string, now: number): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable("api_keys")
      .set({ revoked_at: sql`coalesce(revoked_at, ${now})` })
      .where("id", "=", id)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  async pricesOf(orgId: string): Promise<OrganizationPrice[]> {
    return await this.#db
      .selectFrom("price_overrides")
      .select(["provider", "model", "prices", "effective_from as effectiveFromMs"])
      .where("org_id", "=", orgId)
      .orderBy("effective_from", "desc")
      .orderBy("id", "desc")
      .execute();
  }

  /** How much reratings have added to each event's ledger cost. */
  async adjustments(): Promise<Map<string, number>> {
    const rows = await this.#db
      .selectFrom("adjustments")
      .select(({ fn }) => ["event_id", fn.sum<number>("amount_microcents").as("amount")])
      .groupBy("event_id")
      .execute();
    return new Map(rows.map(row => [row.event_id, Number(row.amount)]));
  }

  /** Adjusted events that retention has removed. */
  async removedAdjusted(): Promise<Map<string, { readonly mode: Mode; readonly wasUnpriced: boolean }>> {
    const rows = await this.#db
      .selectFrom("adjustments")
      .select(["event_id", "removed_mode", "removed_unpriced"])
      .where("removed_mode", "is not", null)
      .execute();
    return new Map(
      rows.map(row => [
        row.event_id,
        { mode: row.removed_mode === "test" ? "test" : "live", wasUnpriced: row.removed_unpriced === 1 },
      ]),
    );
  }

  async bookReratings(orgId: string, reratings: readonly Rerating[], now: number): Promise<void> {
    await this.#db
      .transaction()
      .execute(transaction => bookReratings(transaction, this.database.engine, orgId, reratings, now));
  }

  close(): Promise<void> {
    return this.database.close();
  }
}

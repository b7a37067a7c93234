import type { Database } from "bun:sqlite";
import { migrateControlFile } from "../database/migrate-control.ts";
import type { ControlDatabase } from "../database/open-control-database.ts";
import type { ControlSchema } from "../database/schema.ts";
import { emptyLog, openForWriting } from "../engine/sqlite.ts";
import { repeatUntil } from "../following/repeat-until.ts";

export const MIRROR_POLL_MS = 200;

/** The tables the gateway obeys, parents first, with all of their columns. */
const mirrored = {
  organizations: [
    "id",
    "name",
    "tier",
    "status",
    "burst_per_minute",
    "monthly_calls",
    "hash_salt",
    "optimization_model_v3",
    "created_at",
  ],
  // A key's rights end with those of the member who created it.
  members: ["id", "org_id", "user_id", "email", "role", "status", "invitation", "created_at"],
  api_keys: [
    "id",
    "org_id",
    "digest",
    "last_four",
    "mode",
    "scope",
    "role",
    "name",
    "created_by",
    "created_by_user",
    "created_at",
    "revoked_at",
  ],
  agent_settings: [
    "agent_id",
    "org_id",
    "mode",
    "agent_key",
    "name",
    "metadata",
    "archived_at",
    "paused_at",
    "updated_at",
  ],
  budgets: [
    "id",
    "org_id",
    "mode",
    "agent_id",
    "agent_key",
    "period",
    "limit_microcents",
    "warning_pct",
    "warning_is_default",
    "enforcement_mode",
    "strict",
    "allow_unpriced",
    "status",
    "since",
    "created_at",
    "updated_at",
  ],
  optimizations: [
    "id",
    "org_id",
    "mode",
    "agent_id",
    "agent_key",
    "optimization_type",
    "payload",
    "source",
    "applied_by",
    "applied_at",
    "undone_at",
  ],
  experiments: [
    "id",
    "org_id",
    "mode",
    "agent_id",
    "agent_key",
    "name",
    "control_model",
    "treatment_model",
    "traffic_pct",
    "primary_metric",
    "max_duration_days",
    "auto_promote",
    "status",
    "created_at",
    "ends_at",
    "ended_at",
    "end_reason",
    "winner",
    "promoted",
    "results",
    "updated_at",
  ],
} as const satisfies { [table in keyof ControlSchema]?: readonly (keyof ControlSchema[table])[] };

type Mirrored = keyof typeof mirrored;
const tables = Object.keys(mirrored) as Mirrored[];

/**
 * Keeps the local `control.db` equal to the configuration in PostgreSQL, so that the gateway reads a local file
 * whichever engine the control plane uses, and keeps running while PostgreSQL is unreachable. The last copy stays in
 * force.
 */
export class ConfigMirror {
  #revision: number | null = null;

  private constructor(
    private readonly database: ControlDatabase,
    private readonly local: Database,
    private readonly onFault: (fault: unknown) => void,
  ) {}

  static async open(
    database: ControlDatabase,
    controlPath: string,
    onFault: (fault: unknown) => void = () => {},
  ): Promise<ConfigMirror> {
    const local = openForWriting(controlPath, "full");
    try {
      await migrateControlFile(local);
    } catch (fault) {
      local.close();
      throw fault;
    }
    return new ConfigMirror(database, local, onFault);
  }

  /** True if there was something to copy. */
  async syncIfChanged(): Promise<boolean> {
    if (this.#revision !== null && (await this.#remoteRevision()) === this.#revision) return false;
    const { revision, rows } = await this.#read();
    this.#write(rows);
    this.#revision = revision;
    return true;
  }

  async run(signal: AbortSignal): Promise<void> {
    await repeatUntil(signal, MIRROR_POLL_MS, () => this.syncIfChanged(), this.onFault);
  }

  close(): void {
    emptyLog(this.local);
    this.local.close();
  }

  async #remoteRevision(): Promise<number> {
    const row = await this.database.db.selectFrom("config_revision").select("revision").executeTakeFirst();
    return row?.revision ?? 0;
  }

  /** A consistent snapshot, with its revision. */
  async #read() {
    return this.database.db
      .transaction()
      .setAccessMode("read only")
      .setIsolationLevel("repeatable read")
      .execute(async snapshot => {
        const row = await snapshot.selectFrom("config_revision").select("revision").executeTakeFirst();
        const rows = new Map<Mirrored, readonly Readonly<Record<string, string | number | null>>[]>();
        for (const table of tables) {
          rows.set(table, await snapshot.selectFrom(table).select(mirrored[table]).execute());
        }
        return { revision: row?.revision ?? 0, rows };
      });
  }

  #write(rows: ReadonlyMap<Mirrored, readonly Readonly<Record<string, string | number | null>>[]>): void {
    this.local
      .transaction(() => {
        // Rows of other tables may reference these; the constraints hold again at the end.
        this.local.run("PRAGMA defer_foreign_keys = ON");
        for (const table of tables.toReversed()) this.local.run(`DELETE FROM ${table}`);
        for (const table of tables) {
          const columns = mirrored[table];
          const add = this.local.query(
            `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
          );
          for (const row of rows.get(table) ?? []) add.run(...columns.map(column => row[column] ?? null));
        }
      })
      .immediate();
  }
}

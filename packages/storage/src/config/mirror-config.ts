import type { Database } from "bun:sqlite";
import { migrateControlFile } from "../database/migrate-control.ts";
import type { ControlDatabase } from "../database/open-control-database.ts";
import { type StoredRow, type TableName, tables } from "../database/schema.ts";
import { emptyLog, openForWriting } from "../engine/sqlite.ts";
import { repeatUntil } from "../following/repeat-until.ts";

/** Notified with every change that is counted in `config_revision`. */
const CONFIG_CHANNEL = "tollgate_config";
/** Only in case a notification is lost: then, too, a revoked key is refused within a second. */
export const MIRROR_POLL_MS = 800;

/** What the gateway reads, parents first. `members` is needed because a key's creator limits the key. */
const mirrored = [
  "organizations",
  "members",
  "api_keys",
  "agent_settings",
  "budgets",
  "blocking_budgets",
  "optimizations",
  "experiments",
  "verification_requests",
  "price_overrides",
  "history",
] as const satisfies readonly TableName[];

type Mirrored = (typeof mirrored)[number];
type Row = Readonly<Record<string, string | number | null>>;

/**
 * Keeps the local `control.db` equal to the configuration in PostgreSQL, so that the gateway always reads a local file
 * and keeps running, on the last copy, while PostgreSQL is unreachable.
 */
export class ConfigMirror {
  #revision: number | null = null;
  #currentAtMs: number | null = null;
  #wake: () => void = () => {};

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

  /** When the copy was last known to be current; null: not since the start. */
  get currentAtMs(): number | null {
    return this.#currentAtMs;
  }

  /** True if anything was copied. */
  async syncIfChanged(): Promise<boolean> {
    // Taken before the query: its answer may have been on its way for a while.
    const askedAtMs = Date.now();
    const isChanged = this.#revision === null || (await this.#remoteRevision()) !== this.#revision;
    if (isChanged) {
      const { revision, rows } = await this.#read();
      this.#write(rows);
      this.#revision = revision;
    }
    this.#currentAtMs = askedAtMs;
    return isChanged;
  }

  /** The gateways that are alive: not configuration, but what the local one divides some limits by. */
  writeLiveNodes(nodes: readonly StoredRow<"nodes">[]): void {
    this.local
      .transaction(() => {
        this.local.run("DELETE FROM nodes");
        this.#insert("nodes", nodes);
      })
      .immediate();
  }

  async run(signal: AbortSignal, pollMs = MIRROR_POLL_MS): Promise<void> {
    signal.addEventListener("abort", () => this.#wake(), { once: true });
    this.database.listen?.(CONFIG_CHANNEL, () => this.#wake(), signal).catch(this.onFault);
    await repeatUntil(
      signal,
      0,
      async () => {
        // Before the query, so that a change during it is noticed too.
        const woken = this.#nextWake(pollMs);
        await this.syncIfChanged();
        if (!signal.aborted) await woken;
      },
      this.onFault,
    );
  }

  #nextWake(pollMs: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, pollMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
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
        const rows = new Map<Mirrored, readonly Row[]>();
        for (const table of mirrored) {
          rows.set(table, await snapshot.selectFrom(table).selectAll().execute());
        }
        return { revision: row?.revision ?? 0, rows };
      });
  }

  #write(rows: ReadonlyMap<Mirrored, readonly Row[]>): void {
    this.local
      .transaction(() => {
        // Rows of other tables may reference these; the constraints hold again at the end.
        this.local.run("PRAGMA defer_foreign_keys = ON");
        for (const table of mirrored.toReversed()) this.local.run(`DELETE FROM ${table}`);
        for (const table of mirrored) this.#insert(table, rows.get(table) ?? []);
      })
      .immediate();
  }

  #insert(table: TableName, rows: readonly Row[]): void {
    const columns = Object.keys(tables[table]);
    const add = this.local.query(
      `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    );
    for (const row of rows) add.run(...columns.map(column => row[column] ?? null));
  }
}

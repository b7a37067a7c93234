import { sql } from "kysely";
import type { ControlDatabase } from "../database/open-control-database.ts";
import type { StoredRow } from "../database/schema.ts";
import { repeatUntil } from "../following/repeat-until.ts";
import { readSeq } from "../following/stored-position.ts";
import { postgresNowMs, readSharedClock, type SharedDatabase } from "./postgres-clock.ts";
import { shippingReader } from "./ship-ledger.ts";

const EVERY_MS = 2000;
/** A node that has been silent for longer is presumed dead. */
export const NODE_SILENCE_MS = 10_000;

interface Node {
  readonly id: string;
  readonly host: string;
  readonly version: string;
}

export interface NodeStatus extends Node {
  readonly createdAtMs: number;
  readonly lastSeenAtMs: number;
  /** Since it was last seen. */
  readonly silentForMs: number;
  /** Events in its own ledger that PostgreSQL does not have, as of `lastSeenAtMs`. */
  readonly unshippedEvents: number;
}

/**
 * Reports that this node is alive, and how far its ledger is; learns which others are. By PostgreSQL's clock: a node whose own
 * clock is wrong would look dead, or alive long after its death.
 */
export class NodeRegister {
  #liveIds = "";
  #reportedAtMs: number | null = null;
  /** Reports in a row before each of which the row had changed. A single one may be a report whose answer was lost. */
  #changes = 0;

  constructor(
    private readonly database: ControlDatabase,
    private readonly node: Node,
    private readonly newestSeq: () => number,
    private readonly onFault: (fault: unknown) => void,
    /** Other nodes than before are alive. This one always is. */
    private readonly liveNodesChanged: (nodes: readonly StoredRow<"nodes">[]) => void = () => {},
    /** Another process, at this host, reports under the same name. */
    private readonly onNamesake: (host: string) => void = () => {},
  ) {}

  async report(): Promise<void> {
    await this.#noticeNamesake();
    const current = { last_seen_at: postgresNowMs, newest_seq: this.newestSeq(), removed_at: null };
    const { id, host, version } = this.node;
    const reported = await this.database.db
      .insertInto("nodes")
      .values({ id, host, version, created_at: postgresNowMs, ...current })
      .onConflict(conflict => conflict.column("id").doUpdateSet({ host, version, ...current }))
      .returning("last_seen_at")
      .executeTakeFirstOrThrow();
    this.#reportedAtMs = reported.last_seen_at;
    const live = await this.database.db
      .selectFrom("nodes")
      .selectAll()
      .where("removed_at", "is", null)
      .where("last_seen_at", ">=", sql<number>`${postgresNowMs} - ${sql.lit(NODE_SILENCE_MS)}`)
      .orderBy("id")
      .execute();
    const liveIds = JSON.stringify(live.map(({ id }) => id));
    if (liveIds === this.#liveIds) return;
    this.liveNodesChanged(live);
    this.#liveIds = liveIds;
  }

  async run(signal: AbortSignal): Promise<void> {
    await repeatUntil(signal, EVERY_MS, () => this.report(), this.onFault);
  }

  async #noticeNamesake(): Promise<void> {
    if (this.#reportedAtMs === null) return;
    const stored = await this.database.db
      .selectFrom("nodes")
      .select(["host", "last_seen_at"])
      .where("id", "=", this.node.id)
      .executeTakeFirst();
    const isChanged = stored !== undefined && stored.last_seen_at !== this.#reportedAtMs;
    this.#changes = isChanged ? this.#changes + 1 : 0;
    if (stored !== undefined && this.#changes > 1) this.onNamesake(stored.host);
  }
}

export async function listNodes(database: SharedDatabase): Promise<NodeStatus[]> {
  const { db } = database;
  const rows = await db
    .selectFrom("nodes")
    .selectAll()
    .where("removed_at", "is", null)
    .orderBy("id")
    .execute();
  if (rows.length === 0) return [];
  const nowMs = await readSharedClock(database);
  return Promise.all(
    rows.map(async ({ id, host, version, created_at, last_seen_at, newest_seq }) => ({
      id,
      host,
      version,
      createdAtMs: created_at,
      lastSeenAtMs: last_seen_at,
      silentForMs: Math.max(0, nowMs - last_seen_at),
      unshippedEvents: Math.max(0, newest_seq - (await readSeq(db, shippingReader(id)))),
    })),
  );
}

/** A node that reports again is listed again. Resolves with whether it was listed. */
export async function removeNode(database: SharedDatabase, id: string): Promise<boolean> {
  const { numUpdatedRows } = await database.db
    .updateTable("nodes")
    .set({ removed_at: await readSharedClock(database) })
    .where("id", "=", id)
    .where("removed_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

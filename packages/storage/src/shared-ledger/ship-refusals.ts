import { HOUR_MS } from "@tollgate/core/time/durations";
import { startOfHour } from "@tollgate/core/time/start-of-day";
import { sql } from "kysely";
import type { ControlDatabase } from "../database/open-control-database.ts";
import type { ControlTransaction } from "../database/schema.ts";
import { upsertRows } from "../database/upsert-rows.ts";
import { repeatUntil } from "../following/repeat-until.ts";
import { beginPosition, movePosition, readSeq } from "../following/stored-position.ts";
import type { LedgerReader } from "../ledger/ledger-reader.ts";
import type { CountedRefusals, StoredRefusal } from "../ledger/read-refusals.ts";
import { MAX_LISTED_REFUSALS, REFUSALS_KEPT_MS } from "../ledger/refusal-store.ts";
import { scopeName } from "../ledger/scope.ts";
import { postgresNowMs } from "./postgres-clock.ts";

const EVERY_MS = 1000;
const BATCH_SIZE = 1000;
const PRUNE_EVERY_MS = 60_000;

const refusals = {
  table: "shared_refusals",
  columns: ["org_id", "mode", "created_at", "key_id", "agent_key", "reason", "limit_value", "budget_id"],
  key: [],
  add: [],
} as const;

/** A node's sums only grow, so sending one again changes nothing. */
const counts = {
  table: "shared_refusal_counts",
  columns: ["org_id", "mode", "hour", "reason", "agent_key", "key_id", "node_id", "calls"],
  key: ["org_id", "mode", "hour", "reason", "agent_key", "key_id", "node_id"],
  add: [],
  greatest: ["calls"],
} as const;

/**
 * Copies this node's refused calls to PostgreSQL: each listed one once, because the cursor moves with them, and the sums of
 * every hour that has changed. What is kept there is bounded like a node's own.
 */
export class RefusalShipping {
  /** The sums that PostgreSQL has, of the current hours. */
  readonly #sent = new Map<string, number>();
  #sentFromHour: number | null = null;
  #pruneAtMs = 0;
  readonly #reader: string;

  constructor(
    private readonly database: ControlDatabase,
    private readonly ledger: LedgerReader,
    private readonly nodeId: string,
    private readonly onFault: (fault: unknown) => void,
    private readonly now: () => number = Date.now,
  ) {
    this.#reader = `refusals:${nodeId}`;
  }

  async run(signal: AbortSignal): Promise<void> {
    await repeatUntil(signal, EVERY_MS, () => this.ship(), this.onFault);
  }

  /** Resolves with `again` if there may be more. */
  async ship(): Promise<"again" | "complete"> {
    const { db } = this.database;
    const from = await this.#position();
    const listed = this.ledger.refusalsAfter(from, BATCH_SIZE);
    const fromHour = this.#sentFromHour ?? (await this.#lastHour());
    const changed = this.ledger
      .refusalCountsFrom(fromHour)
      .filter(count => this.#sent.get(nameOf(count)) !== count.calls);
    if (listed.length > 0 || changed.length > 0) {
      await db.transaction().execute(transaction => this.#write(transaction, from, listed, changed));
    }
    this.#remember(fromHour, changed);
    return listed.length === BATCH_SIZE ? "again" : "complete";
  }

  /** An older copy of the ledger, or one whose refused calls were all deleted, ends before what was shipped. */
  async #position(): Promise<number> {
    const { db } = this.database;
    const shipped = await readSeq(db, this.#reader);
    const newest = this.ledger.newestRefusal();
    if (shipped <= newest) return shipped;
    await movePosition(db, this.#reader, { seq: newest, eventId: "" });
    return newest;
  }

  async #write(
    transaction: ControlTransaction,
    from: number,
    listed: readonly StoredRefusal[],
    changed: readonly CountedRefusals[],
  ): Promise<void> {
    await upsertRows(
      transaction,
      "postgres",
      refusals,
      listed.map(({ org_id, mode, created_at, key_id, agent_key, reason, limit_value, budget_id }) => [
        ...[org_id, mode, created_at, key_id],
        // As JSON: PostgreSQL's text cannot hold every character that a sender may use in a name.
        ...[agent_key === null ? null : JSON.stringify(agent_key), reason, limit_value, budget_id],
      ]),
    );
    await upsertRows(
      transaction,
      "postgres",
      counts,
      changed.map(({ org_id, mode, hour, reason, agent_key, key_id, calls }) => [
        ...[org_id, mode, hour, reason, JSON.stringify(agent_key), key_id, this.nodeId, calls],
      ]),
    );
    const position = { seq: listed.at(-1)?.id ?? from, eventId: "" };
    await beginPosition(transaction, this.#reader, position);
    await movePosition(transaction, this.#reader, position);
    if (this.now() < this.#pruneAtMs) return;
    this.#pruneAtMs = this.now() + PRUNE_EVERY_MS;
    await this.#prune(transaction, listed);
  }

  async #prune(transaction: ControlTransaction, listed: readonly StoredRefusal[]): Promise<void> {
    // Those of other nodes, too: a clock that is far ahead must not delete them.
    const before = sql<number>`LEAST(${this.now()}, ${postgresNowMs}) - ${sql.lit(REFUSALS_KEPT_MS)}`;
    await transaction.deleteFrom("shared_refusals").where("created_at", "<", before).execute();
    await transaction
      .deleteFrom("shared_refusal_counts")
      .where("node_id", "=", this.nodeId)
      .where("hour", "<", before)
      .execute();
    const scopes = new Map(listed.map(row => [scopeName({ orgId: row.org_id, mode: row.mode }), row]));
    for (const { org_id, mode } of scopes.values()) {
      await transaction
        .deleteFrom("shared_refusals")
        .where("org_id", "=", org_id)
        .where("mode", "=", mode)
        .where("created_at", "<", query =>
          query
            .selectFrom("shared_refusals")
            .select("created_at")
            .where("org_id", "=", org_id)
            .where("mode", "=", mode)
            .orderBy("created_at", "desc")
            .limit(1)
            .offset(MAX_LISTED_REFUSALS - 1),
        )
        .execute();
    }
  }

  /** After a start: everything since the last hour that PostgreSQL has. */
  async #lastHour(): Promise<number> {
    const row = await this.database.db
      .selectFrom("shared_refusal_counts")
      .select(({ fn }) => fn.max("hour").as("hour"))
      .where("node_id", "=", this.nodeId)
      .executeTakeFirst();
    return row?.hour ?? 0;
  }

  #remember(fromHour: number, changed: readonly CountedRefusals[]): void {
    // The gateway writes an hour's last sums shortly after it.
    const hour = startOfHour(this.now()) - HOUR_MS;
    if (hour > (this.#sentFromHour ?? fromHour)) this.#sent.clear();
    this.#sentFromHour = Math.max(fromHour, hour);
    for (const count of changed) this.#sent.set(nameOf(count), count.calls);
  }
}

function nameOf({ org_id, mode, hour, reason, agent_key, key_id }: CountedRefusals): string {
  return JSON.stringify([org_id, mode, hour, reason, agent_key, key_id]);
}

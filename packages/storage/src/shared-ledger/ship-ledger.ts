import { sql } from "kysely";
import type { ControlDatabase } from "../database/open-control-database.ts";
import type { ControlTransaction } from "../database/schema.ts";
import type { Applied, Batch } from "../following/consumer.ts";
import { followStored, type StoredConsumer, type StoredFollower } from "../following/follow-stored.ts";
import type { FollowerOptions } from "../following/follower.ts";
import type { LedgerRepair } from "../following/ledger-continuity.ts";
import { movePosition, readPosition } from "../following/stored-position.ts";
import { LEDGER_START } from "../ledger/ledger-position.ts";
import type { LedgerReader, SequencedEvent } from "../ledger/ledger-reader.ts";
import { appendShared } from "./append-shared.ts";
import { SharedNames } from "./shared-names.ts";

/** Notified with every append. */
export const SHARED_LEDGER_CHANNEL = "tollgate_shared_ledger";

const BATCH_SIZE = 1000;
const POLL_MS = 50;

/** The name of a node's cursor. */
export const shippingReader = (nodeId: string) => `shipping:${nodeId}`;

/** Copies this node's ledger to PostgreSQL: each event once, in order, however often it is interrupted. */
export function shipLedger(
  database: ControlDatabase,
  ledger: LedgerReader,
  nodeId: string,
  options: FollowerOptions = {},
): StoredFollower<SequencedEvent> {
  return followStored(database, ledger, new Shipping(ledger, nodeId), options);
}

class Shipping implements StoredConsumer<SequencedEvent> {
  readonly batchSize = BATCH_SIZE;
  readonly pollMs = POLL_MS;
  readonly repair: LedgerRepair;
  readonly #names: SharedNames;

  constructor(
    private readonly ledger: LedgerReader,
    private readonly nodeId: string,
  ) {
    this.repair = { reader: shippingReader(nodeId), restart: async () => LEDGER_START };
    this.#names = new SharedNames(ledger);
  }

  read(after: number, upTo: number): readonly SequencedEvent[] {
    return this.ledger.between(after, upTo);
  }

  async apply(
    { events }: Batch<readonly SequencedEvent[]>,
    transaction: ControlTransaction,
  ): Promise<Applied> {
    const position = await appendShared(transaction, this.nodeId, events);
    const shipped = await this.#names.ship(transaction, events, position);
    await sql`SELECT pg_notify(${sql.lit(SHARED_LEDGER_CHANNEL)}, '')`.execute(transaction);
    return { afterCommit: shipped };
  }

  forget(): void {
    this.#names.forget();
  }
}

/**
 * A ledger that lacks its last shipped event is an older copy. Then everything is shipped again: what PostgreSQL has
 * already is skipped. Resolves with whether that is so.
 */
export async function reshipIfRestored(
  { db }: ControlDatabase,
  ledger: LedgerReader,
  nodeId: string,
): Promise<boolean> {
  const position = await readPosition(db, shippingReader(nodeId));
  if (position === null || ledger.has(position)) return false;
  await movePosition(db, shippingReader(nodeId), LEDGER_START);
  return true;
}

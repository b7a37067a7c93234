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
import { beginShared } from "./shared-history.ts";
import { SharedNames } from "./shared-names.ts";

/** Notified with every append. */
export const SHARED_LEDGER_CHANNEL = "tollgate_shared_ledger";

const BATCH_SIZE = 1000;
const POLL_MS = 50;

/** The name of a node's cursor. */
export const shippingReader = (nodeId: string) => `shipping:${nodeId}`;

interface ShippingOptions extends Pick<FollowerOptions, "onFault"> {
  /** Called when the ledger lacks its last shipped event and is shipped again; absent: the loss throws. */
  readonly onReship?: () => void;
}

/** Copies this node's ledger to PostgreSQL: each event once, in order, however often it is interrupted. */
export function shipLedger(
  database: ControlDatabase,
  ledger: LedgerReader,
  nodeId: string,
  { onFault, onReship }: ShippingOptions = {},
): StoredFollower<SequencedEvent> {
  const continuity = onReship && new ShippedContinuity(database, ledger, nodeId, onReship);
  return followStored(database, ledger, new Shipping(ledger, nodeId), { continuity, onFault });
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
    if (events[0]?.seq === this.ledger.beginning().seq) {
      await beginShared(transaction, this.nodeId, this.ledger);
    }
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
 * A ledger that lacks its last shipped event is an older copy, or has lost its end. Then everything is shipped again: what
 * PostgreSQL has already is skipped.
 */
class ShippedContinuity {
  #generation = 0;

  constructor(
    private readonly database: ControlDatabase,
    private readonly ledger: LedgerReader,
    private readonly nodeId: string,
    private readonly onReship: () => void,
  ) {}

  get generation(): number {
    return this.#generation;
  }

  /** Shipping derives nothing that could need one. */
  requireRepair(): void {}

  async reconcile(): Promise<boolean> {
    const { db } = this.database;
    const reader = shippingReader(this.nodeId);
    const position = await readPosition(db, reader);
    if (position === null || this.ledger.has(position)) return false;
    await movePosition(db, reader, LEDGER_START);
    this.#generation++;
    this.onReship();
    return true;
  }
}

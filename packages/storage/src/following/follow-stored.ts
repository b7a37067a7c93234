import type { ControlDatabase } from "../database/open-control-database.ts";
import type { ControlTransaction } from "../database/schema.ts";
import { LEDGER_START, type LedgerPosition } from "../ledger/ledger-position.ts";
import type { LedgerReader } from "../ledger/ledger-reader.ts";
import type { Consumer } from "./consumer.ts";
import { Follower, type FollowerOptions } from "./follower.ts";
import { StoredCursor } from "./stored-cursor.ts";

export type StoredFollower<Row> = Follower<readonly Row[], ControlTransaction>;

/** A consumer whose rows and position are in the control database. */
export interface StoredConsumer<Row> extends Consumer<readonly Row[], ControlTransaction> {
  /** Where to start if it has never read anything; absent: at the start of the ledger. */
  begin?(): Promise<LedgerPosition>;
}

export function followStored<Row>(
  database: ControlDatabase,
  ledger: LedgerReader,
  consumer: StoredConsumer<Row>,
  options: FollowerOptions = {},
): StoredFollower<Row> {
  const begin = async () => (await consumer.begin?.()) ?? LEDGER_START;
  const cursor = new StoredCursor(database, consumer.repair.reader, begin);
  return new Follower(ledger, cursor, consumer, options);
}

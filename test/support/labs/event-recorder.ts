import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import type { ControlTransaction } from "@tollgate/storage/database/schema";
import type { Batch, Consumer } from "@tollgate/storage/following/consumer";
import { Follower, type FollowerOptions } from "@tollgate/storage/following/follower";
import type { LedgerRepair } from "@tollgate/storage/following/ledger-continuity";
import { MemoryCursor } from "@tollgate/storage/following/memory-cursor";
import { StoredCursor } from "@tollgate/storage/following/stored-cursor";
import type { EventSummary } from "@tollgate/storage/ledger/event-parts";
import { LEDGER_START } from "@tollgate/storage/ledger/ledger-position";
import type { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";

export const RECORDER = "recorder:events";

/** Records everything again from the start. */
export const recorderRepair: LedgerRepair = {
  reader: RECORDER,
  async restart(db) {
    await db.deleteFrom("models").execute();
    return LEDGER_START;
  },
};

type Recorder = Consumer<readonly EventSummary[], ControlTransaction>;

/** A consumer that only records which events it was given, in an existing table. */
export function followAndRecord(
  database: ControlDatabase,
  ledger: LedgerReader,
  change: Partial<Recorder> = {},
  options: FollowerOptions = {},
): Follower<readonly EventSummary[], ControlTransaction> {
  const cursor = new StoredCursor(database, RECORDER, async () => LEDGER_START);
  return new Follower(ledger, cursor, { ...recorder(ledger), ...change }, options);
}

function recorder(ledger: LedgerReader): Recorder {
  return {
    repair: recorderRepair,
    batchSize: 2,
    pollMs: 1,
    read: (after, upTo) => ledger.summariesBetween(after, upTo),
    async apply(batch, transaction) {
      await record(batch, transaction);
      return {};
    },
  };
}

/** Recording an event twice violates a unique key. */
export async function record(
  { events }: Batch<readonly EventSummary[]>,
  transaction: ControlTransaction,
): Promise<void> {
  await transaction
    .insertInto("models")
    .values(events.map(({ seq, id }) => ({ provider: String(seq), model: id })))
    .execute();
}

/** The same database, with a hook of the test before each statement. */
export function beforeStatements(
  database: ControlDatabase,
  act: (statement: number) => void,
): ControlDatabase {
  let statement = 0;
  const db = database.db.withPlugin({
    transformQuery({ node }) {
      act(++statement);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return { ...database, db };
}

/** A consumer that by default ignores its events, from a given seq on. */
export function followInMemory(
  ledger: LedgerReader,
  from: number,
  change: Partial<Consumer<readonly EventSummary[], null>>,
): Follower<readonly EventSummary[], null> {
  const cursor = new MemoryCursor(async () => ledger.positionAt(from) ?? LEDGER_START);
  return new Follower(ledger, cursor, {
    repair: recorderRepair,
    batchSize: 1000,
    pollMs: 1,
    read: (after, upTo) => ledger.summariesBetween(after, upTo),
    apply: () => ({}),
    ...change,
  });
}

/** Consumes events by recording their seqs. */
export function noting(seen: number[]) {
  return ({ events }: Batch<readonly EventSummary[]>) => {
    seen.push(...events.map(({ seq }) => seq));
    return {};
  };
}

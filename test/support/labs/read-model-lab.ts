import { afterAll } from "bun:test";
import type { Event } from "@tollgate/core/event";
import type { ControlDatabase, Engine } from "@tollgate/storage/database/open-control-database";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { createReadModel } from "@tollgate/storage/read-model/control-read-model";
import {
  followReadModel,
  type ReadModelFollower,
} from "@tollgate/storage/read-model/deriving/follow-read-model";
import type { Page, Position } from "@tollgate/storage/read-model/page";
import type { ReadModel } from "@tollgate/storage/read-model/read-model";
import { controlDatabases } from "./control-databases.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export interface ReadModelLab {
  readonly ledgerPath: string;
  readonly database: ControlDatabase;
  readonly ledger: Ledger;
  readonly reader: LedgerReader;
  readonly follower: ReadModelFollower;
  readonly model: ReadModel;
}

/** Opens ledgers with their read models for a test to fill and query; all are deleted after the last test of a file. */
export function readModelLab(): (engine: Engine) => Promise<ReadModelLab> {
  const databases = controlDatabases();
  const inFolder = temporaryFolder();
  const opened: { close(): void }[] = [];
  afterAll(() => {
    for (const one of opened) one.close();
  });
  return async engine => {
    const database = await databases.open(engine);
    const path = inFolder(`ledger-${opened.length}.db`);
    const ledger = new Ledger(path, "normal");
    const reader = new LedgerReader(path);
    opened.push(reader, ledger);
    // A small batch, so that a few events are several batches.
    const follower = followReadModel(database, reader, {
      batchSize: 7,
      listing: { segmentEvents: 5, volumeSegments: 2 },
    });
    return { ledgerPath: path, database, ledger, reader, follower, model: createReadModel(database, reader) };
  };
}

/** Writes what rerating writes. */
export async function adjust({ db }: ControlDatabase, event: Event, amount: number): Promise<void> {
  await db
    .insertInto("adjustments")
    .values({
      event_id: event.id,
      org_id: event.org_id,
      amount_microcents: amount,
      price_version: "v",
      card: "{}",
      created_at: 1,
    })
    .execute();
}

export async function allPages<Row>(read: (after?: Position) => Promise<Page<Row>>): Promise<Row[]> {
  const rows: Row[] = [];
  let after: Position | undefined;
  for (;;) {
    const page: Page<Row> = await read(after);
    rows.push(...page.rows);
    if (page.next === null) return rows;
    after = page.next;
  }
}

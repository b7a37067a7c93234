import { afterAll } from "bun:test";
import { join } from "node:path";
import {
  type ControlDatabase,
  type ControlDatabaseOptions,
  type Engine,
  openControlDatabase,
} from "@tollgate/storage/database/open-control-database";
import { readPosition } from "@tollgate/storage/following/stored-position";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { LEDGER_START, type LedgerPosition } from "@tollgate/storage/ledger/ledger-position";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { sampleSettlement } from "../rows/sample-event.ts";
import { controlDatabases } from "./control-databases.ts";
import { RECORDER } from "./event-recorder.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export interface FollowerLab {
  readonly place: ControlDatabaseOptions;
  readonly database: ControlDatabase;
  readonly path: string;
  readonly reader: LedgerReader;
  /** The ids of all events, in order. */
  readonly ids: string[];
  append(count: number): Promise<void>;
  recorded(): Promise<string[]>;
  stored(): Promise<LedgerPosition | null>;
  /** Every event up to the stored position is recorded exactly once, and no event after it. */
  isExact(): Promise<boolean>;
}

/** A ledger and a database for each test of one file; all are closed after the last test. */
export function followerLabs(): (engine: Engine) => Promise<FollowerLab> {
  const databases = controlDatabases();
  const inFolder = temporaryFolder();
  const opened: { close(): unknown }[] = [];
  afterAll(async () => {
    for (const one of opened) await one.close();
  });
  let made = 0;

  return async engine => {
    const place = await databases.place(engine);
    const database = await openControlDatabase(place);
    const { db } = database;
    const path = inFolder(`ledger-${++made}.db`);
    const ledger = new Ledger(path, "normal");
    const reader = new LedgerReader(path);
    opened.push(reader, ledger, database);
    const ids: string[] = [];
    const recorded = async () => {
      const rows = await db.selectFrom("models").selectAll().execute();
      return rows.sort((a, b) => Number(a.provider) - Number(b.provider)).map(({ model }) => model);
    };
    const stored = () => readPosition(db, RECORDER);
    return {
      place,
      database,
      path,
      reader,
      ids,
      async append(count) {
        const settlements = Array.from({ length: count }, () => sampleSettlement(crypto.randomUUID()));
        await ledger.append(settlements, []);
        ids.push(...settlements.map(({ event }) => event.id));
      },
      recorded,
      stored,
      async isExact() {
        const { seq, eventId } = (await stored()) ?? LEDGER_START;
        const isNamed = seq === 0 || ids[seq - 1] === eventId;
        return isNamed && (await recorded()).join() === ids.slice(0, seq).join();
      },
    };
  };
}

const program = join(import.meta.dir, "../programs/record-events.ts");

/** A process that follows the lab's ledger; `killedAt`: the statement before which it kills itself, 0 for none. */
export function startRecording(lab: FollowerLab, killedAt = 0) {
  return Bun.spawn([process.execPath, program, lab.path, JSON.stringify(lab.place), String(killedAt)], {
    stdout: "pipe",
    stderr: "inherit",
  });
}

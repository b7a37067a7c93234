import { mkdirSync } from "node:fs";
import { ControlStore } from "@tollgate/storage/config/control-store";
import { namingFile } from "@tollgate/storage/engine/naming-file";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import type { Config } from "../config/config.ts";
import { UsageError } from "../config/usage-error.ts";
import { controlDatabaseOf } from "./control-database.ts";
import { dataFiles } from "./data-files.ts";
import { findRunningInstance } from "./instance.ts";
import { isThere } from "./is-there.ts";
import { hasEvents, lostControl } from "./refuse-lost-data.ts";

/** Creates `control.db`, which the gateway only reads: the control database itself, or its mirror. */
export async function prepareControlStore(config: Config): Promise<void> {
  makeDataDirectory(config);
  controlDatabaseOf(config);
  const store = await ControlStore.open({ kind: "sqlite", path: dataFiles(config.dataDir).control });
  await store.close();
}

/**
 * Opens the control store. Only a command that `creates` makes an installation where there is none, or replaces one that
 * was lost: with a mistyped SVC_DATA_DIR, any other would look at an empty one.
 */
export async function withControlStore<T>(
  config: Config,
  work: (store: ControlStore) => Promise<T> | T,
  {
    creates = false,
    command,
  }: {
    readonly creates?: boolean;
    /** Its name in the audit log; absent: it only reads. */
    readonly command?: string;
  } = {},
): Promise<T> {
  const isReading = command === undefined;
  refuseMissingControl(config, creates);
  if (!isReading) makeDataDirectory(config);
  const store = await ControlStore.open(controlDatabaseOf(config, { marks: !isReading }), command ?? "svc");
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

export async function withLedgerReader<T>(
  config: Config,
  work: (reader: LedgerReader) => Promise<T> | T,
): Promise<T> {
  const { ledger } = dataFiles(config.dataDir);
  if (!isThere(ledger)) {
    refuseWhileRunning(config, "ledger.db");
    throw new UsageError(`there is no ledger in ${config.dataDir} yet: start the gateway once`);
  }
  const reader = new LedgerReader(ledger);
  try {
    // A file that is not a ledger is found by the first read.
    namingFile(ledger, () => reader.newestSeq());
    return await work(reader);
  } finally {
    reader.close();
  }
}

function refuseMissingControl(config: Config, creates: boolean): void {
  const { control, ledger, postgresMark } = dataFiles(config.dataDir);
  if (config.databaseUrl !== null || isThere(control)) return;
  // The next check says what is missing.
  if (isThere(postgresMark)) return;
  refuseWhileRunning(config, "control.db");
  if (creates) return;
  if (hasEvents(ledger)) throw new UsageError(lostControl(config).message);
  throw new UsageError(
    `there is no installation in ${config.dataDir}: correct SVC_DATA_DIR, or start Tollgate there once`,
  );
}

/** A running Tollgate still has a deleted file open, and restores it when it stops if there is no other. */
export function refuseWhileRunning(config: Config, name: "control.db" | "ledger.db"): void {
  const running = findRunningInstance(config.dataDir);
  if (running === null || running.pid === process.pid) return;
  throw new UsageError(
    `${name} is missing in ${config.dataDir} while Tollgate is running there: stop it first; it then restores the file`,
  );
}

/** Other users of a shared machine must not read key digests and salts. */
export function makeDataDirectory(config: Config): void {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
}

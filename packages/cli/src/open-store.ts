import { existsSync, mkdirSync } from "node:fs";
import { ControlStore } from "@tollgate/storage/config/control-store";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { UsageError } from "./command.ts";
import type { Config } from "./config.ts";
import { controlDatabaseOf } from "./control-database.ts";
import { dataFiles } from "./data-files.ts";
import { findRunningInstance } from "./instance.ts";
import { hasEvents, lostControl } from "./refuse-lost-data.ts";

/** Makes what the gateway only reads: `control.db`, the truth or its mirror. */
export async function prepareControlStore(config: Config): Promise<void> {
  makeDataDirectory(config);
  controlDatabaseOf(config);
  const store = await ControlStore.open({ kind: "sqlite", path: dataFiles(config.dataDir).control });
  await store.close();
}

/**
 * Opens the control store, making the data directory and the schema if they are not there yet: but not in place of a
 * store that is lost, unless `beginsAnew` says that this is meant.
 */
export async function withControlStore<T>(
  config: Config,
  work: (store: ControlStore) => Promise<T> | T,
  { beginsAnew = false }: { readonly beginsAnew?: boolean } = {},
): Promise<T> {
  refuseToReplaceControl(config, beginsAnew);
  makeDataDirectory(config);
  const store = await ControlStore.open(controlDatabaseOf(config));
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
  if (!existsSync(ledger)) {
    refuseWhileRunning(config, "ledger.db");
    throw new UsageError(`there is no ledger in ${config.dataDir} yet: start the gateway once`);
  }
  const reader = new LedgerReader(ledger);
  try {
    return await work(reader);
  } finally {
    reader.close();
  }
}

function refuseToReplaceControl(config: Config, beginsAnew: boolean): void {
  const { control, ledger } = dataFiles(config.dataDir);
  if (config.databaseUrl !== null || existsSync(control)) return;
  refuseWhileRunning(config, "control.db");
  if (!beginsAnew && hasEvents(ledger)) throw new UsageError(lostControl(config).message);
}

/** A running Tollgate still holds a file that was removed, and writes it back when it stops: unless another is there. */
export function refuseWhileRunning(config: Config, name: "control.db" | "ledger.db"): void {
  const running = findRunningInstance(config.dataDir);
  if (running === null || running.pid === process.pid) return;
  throw new UsageError(
    `${name} is missing in ${config.dataDir} while a Tollgate runs there: stop it first, it writes what it holds back`,
  );
}

/** Other users of a shared machine must not read key digests and salts. */
export function makeDataDirectory(config: Config): void {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
}

import { existsSync, mkdirSync } from "node:fs";
import { ControlStore } from "@tollgate/storage/control/control-store";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { UsageError } from "./command.ts";
import type { Config } from "./config.ts";
import { controlDatabaseOf } from "./control-database.ts";
import { dataFiles } from "./data-files.ts";

/** Makes what the gateway only reads: `control.db`, the truth or its mirror. */
export async function prepareControlStore(config: Config): Promise<void> {
  makeDataDirectory(config);
  controlDatabaseOf(config);
  const store = await ControlStore.open({ kind: "sqlite", path: dataFiles(config.dataDir).control });
  await store.close();
}

/** Opens the control store, making the data directory and the schema if they are not there yet. */
export async function withControlStore<T>(
  config: Config,
  work: (store: ControlStore) => Promise<T> | T,
): Promise<T> {
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
  if (!existsSync(ledger))
    throw new UsageError(`there is no ledger in ${config.dataDir} yet: start the gateway once`);
  const reader = new LedgerReader(ledger);
  try {
    return await work(reader);
  } finally {
    reader.close();
  }
}

/** Keys' digests and salts are nobody else's business on a shared machine. */
export function makeDataDirectory(config: Config): void {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
}

import { existsSync, mkdirSync } from "node:fs";
import { ControlStore } from "@tollgate/storage/control/control-store";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { UsageError } from "./command.ts";
import type { Config } from "./config.ts";
import { dataFiles } from "./data-files.ts";

/** Makes what the gateway only reads. */
export function prepareControlStore(config: Config): void {
  withControlStore(config, () => {});
}

/** Opens the control store, making the data directory and the schema if they are not there yet. */
export function withControlStore<T>(config: Config, work: (store: ControlStore) => T): T {
  // Keys' digests and salts are nobody else's business on a shared machine.
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const store = new ControlStore(dataFiles(config.dataDir).control);
  try {
    return work(store);
  } finally {
    store.close();
  }
}

export function withLedgerReader<T>(config: Config, work: (reader: LedgerReader) => T): T {
  const { ledger } = dataFiles(config.dataDir);
  if (!existsSync(ledger))
    throw new UsageError(`there is no ledger in ${config.dataDir} yet: start the gateway once`);
  const reader = new LedgerReader(ledger);
  try {
    return work(reader);
  } finally {
    reader.close();
  }
}

import { afterAll } from "bun:test";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { temporaryFolder } from "./temporary-folder.ts";

/** Ledgers in files of their own, each with a reader, closed after the file's last test. */
export function openLedgers() {
  const inFolder = temporaryFolder();
  const opened: { close(): unknown }[] = [];
  afterAll(() => {
    for (const one of opened) one.close();
  });
  let made = 0;
  return (path = inFolder(`ledger-${++made}.db`)) => {
    const ledger = new Ledger(path, "normal");
    const reader = new LedgerReader(path);
    opened.push(reader, ledger);
    return { path, ledger, reader };
  };
}

import type { EventFinder } from "@tollgate/storage/ledger/find-events";

/** A page takes a few milliseconds; calls get their turn between two. */
const PAGE = 2000;

/**
 * Makes a function that reads what was written since it was last called, at first the newest `remembered` events. It
 * resolves once everything that was settled before is read; one reading at a time.
 */
export function followLedger<Row extends { readonly seq: number }>(
  ledger: EventFinder,
  remembered: number,
  rowsAfter: (seq: number, atMost: number) => readonly Row[],
  read: (row: Row) => void,
): () => Promise<void> {
  let cursor: number | null = null;
  let reading: Promise<void> = Promise.resolve();
  const readOn = async () => {
    cursor ??= Math.max(0, ledger.newestSeq() - remembered);
    for (;;) {
      const page = rowsAfter(cursor, PAGE);
      for (const row of page) {
        cursor = row.seq;
        read(row);
      }
      if (page.length < PAGE) return;
      await new Promise(resolve => setImmediate(resolve));
    }
  };
  return () => {
    reading = reading.catch(() => {}).then(readOn);
    return reading;
  };
}

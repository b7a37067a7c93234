import type { EventFinder } from "@tollgate/storage/ledger/find-events";

/** A page takes a few milliseconds; calls run between two pages. */
const PAGE = 2000;

/**
 * Creates a function that reads the events since its last call, at first the newest `remembered` ones. It resolves once
 * everything settled before the call is read; concurrent calls share one read.
 */
export function newEventsReader<Row extends { readonly seq: number }>(
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

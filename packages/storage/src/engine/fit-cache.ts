import type { Database } from "bun:sqlite";

const KIB = 1024;
const SMALLEST_KIB = 8 * KIB;
const LARGEST_KIB = 64 * KIB;
/** Of the file: about as much as the upper levels of its indexes and what a batch changes. */
const SHARE = 4;

/** Sizes the page cache by the file, so that a small installation needs little memory. */
export function fitCache(database: Database): void {
  const pages = numberOf(database, "page_count");
  const fileKib = (pages * numberOf(database, "page_size")) / KIB;
  const kib = Math.min(LARGEST_KIB, Math.max(SMALLEST_KIB, Math.round(fileKib / SHARE)));
  // Negative: in KiB, not in pages.
  database.run(`PRAGMA cache_size = ${-kib}`);
}

function numberOf(database: Database, pragma: "page_count" | "page_size"): number {
  return Number(database.query<Record<string, number>, []>(`PRAGMA ${pragma}`).get()?.[pragma] ?? 0);
}

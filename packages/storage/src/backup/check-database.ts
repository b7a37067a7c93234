import { Database, SQLiteError } from "bun:sqlite";
import { basename } from "node:path";

const MAX_REPORTED = 10;

/**
 * The problems SQLite finds in a file; empty if it is sound. `full` also compares every index with its table, which
 * takes several times as long. Throws if the file cannot be opened, for example on a read-only disk: that is no damage.
 */
export function checkDatabase(path: string, depth: "quick" | "full" = "quick"): string[] {
  try {
    const database = new Database(path, { readonly: true });
    try {
      database.run("PRAGMA busy_timeout = 5000");
      const pragma = depth === "full" ? "integrity_check" : "quick_check";
      const rows = database.query<Record<string, string>, []>(`PRAGMA ${pragma}(${MAX_REPORTED})`).all();
      return rows.map(row => Object.values(row)[0] ?? "").filter(finding => finding !== "ok");
    } finally {
      database.close();
    }
  } catch (fault) {
    if (isDamage(fault)) return [fault.message];
    const reason = fault instanceof Error ? fault.message : String(fault);
    throw new Error(`${basename(path)} cannot be opened: ${reason}`);
  }
}

/** The codes may have a suffix, such as `SQLITE_CORRUPT_INDEX`. */
function isDamage(fault: unknown): fault is SQLiteError {
  return fault instanceof SQLiteError && /^SQLITE_(CORRUPT|NOTADB)/.test(fault.code ?? "");
}

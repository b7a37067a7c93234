import { Database } from "bun:sqlite";

const MAX_REPORTED = 10;

/**
 * The problems SQLite finds in a file; empty if it is sound. `full` also compares every index with its table, which
 * takes several times as long.
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
    return [fault instanceof Error ? fault.message : "the file cannot be read"];
  }
}

import { Database } from "bun:sqlite";
import { eventColumns } from "@tollgate/storage/ledger/event-row";

/**
 * Copies the first event of a ledger until there are `total`, inside SQLite: many events without as many calls.
 * `changed` gives SQL for columns of the copies; `n.value` is the copy's number, from 1.
 */
export function multiplyEvent(
  ledgerPath: string,
  total: number,
  changed: Readonly<Record<string, string>> = {},
): void {
  const values: Readonly<Record<string, string>> = { id: "'event ' || n.value", ...changed };
  const database = new Database(ledgerPath);
  database.run("PRAGMA synchronous = OFF");
  database.run(
    `INSERT INTO events (${eventColumns.join(", ")})
     WITH RECURSIVE n(value) AS (SELECT 1 WHERE ${total} > 1 UNION ALL SELECT value + 1 FROM n WHERE value < ${total - 1})
     SELECT ${eventColumns.map(column => values[column] ?? column).join(", ")} FROM n, events WHERE seq = 1`,
  );
  database.run("UPDATE monthly_calls SET calls = (SELECT count(*) FROM events)");
  database.close();
}

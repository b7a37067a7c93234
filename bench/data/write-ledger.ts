import type { Event } from "@tollgate/core/event";
import { migrate, openForWriting } from "@tollgate/storage/engine/sqlite";
import { eventColumns, pushRow } from "@tollgate/storage/ledger/event-row";
import { ledgerMigrations } from "@tollgate/storage/ledger/migrations";

const ROWS_AT_ONCE = 100;
const ROWS_A_TRANSACTION = 100_000;

/** Writes events directly into a ledger: the same rows that the gateway would have written, without the calls. */
export function writeLedger(
  path: string,
  events: Iterable<Event>,
  onProgress: (events: number) => void,
): void {
  const database = openForWriting(path, "normal");
  migrate(database, ledgerMigrations);
  // A power cut would lose a benchmark, not money.
  database.run("PRAGMA synchronous = OFF");
  database.run("PRAGMA cache_size = -262144");
  const row = `(${eventColumns.map(() => "?").join(", ")})`;
  const insert = (rows: number) =>
    database.query(
      `INSERT INTO events (${eventColumns.join(", ")}) VALUES ${new Array(rows).fill(row).join(", ")}`,
    );
  const many = insert(ROWS_AT_ONCE);
  const one = insert(1);
  const addAgent = database.query(
    "INSERT OR IGNORE INTO agents (org_id, mode, agent_key, id, first_seen_at) VALUES (?, ?, ?, ?, ?)",
  );
  const agents = new Set<string>();
  let values: (string | number | null)[] = [];
  let written = 0;
  database.run("BEGIN");
  for (const event of events) {
    pushRow(event, values);
    const agent = `${event.org_id} ${event.mode} ${event.agent_key}`;
    if (!agents.has(agent)) {
      agents.add(agent);
      addAgent.run(event.org_id, event.mode, event.agent_key, crypto.randomUUID(), event.created_at);
    }
    written++;
    if (written % ROWS_AT_ONCE === 0) {
      many.run(...values);
      values = [];
    }
    if (written % ROWS_A_TRANSACTION === 0) {
      database.run("COMMIT");
      onProgress(written);
      database.run("BEGIN");
    }
  }
  for (let from = 0; from < values.length; from += eventColumns.length) {
    one.run(...values.slice(from, from + eventColumns.length));
  }
  database.run("COMMIT");
  onProgress(written);
  database.close();
}

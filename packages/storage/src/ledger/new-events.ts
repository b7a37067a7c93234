import type { Database } from "bun:sqlite";
import type { Event } from "@tollgate/core/event";
import { eventColumns, pushRow } from "./event-row.ts";

/** Rows per statement: the round trip is half of an insert. */
const BATCH_SIZES = [32, 16, 8, 4, 2, 1] as const;

/** The events of the current group, as bound values, which a few statements write. */
export class NewEvents {
  #values: (string | number | null)[] = [];
  /** The ledger may be empty, and begin later than with 1. */
  #mayBeFirst = true;
  readonly #inserts;
  readonly #insertFirst;
  readonly #emptyBeginning;

  constructor(database: Database) {
    this.#inserts = BATCH_SIZES.map(rows => ({
      values: rows * eventColumns.length,
      statement: database.query(insertInto(eventColumns, rows)),
    }));
    this.#insertFirst = database.query(insertInto(["seq", ...eventColumns], 1));
    this.#emptyBeginning = database.query<{ seq: number }, []>(
      "SELECT begins_seq AS seq FROM history WHERE begins_seq > 0 AND NOT EXISTS (SELECT 1 FROM events)",
    );
  }

  begin(): void {
    this.#values = [];
  }

  add(event: Event): void {
    pushRow(event, this.#values);
  }

  write(): void {
    const values = this.#values;
    if (values.length === 0) return;
    let from = this.#writeFirst(values);
    for (const { values: many, statement } of this.#inserts) {
      for (; from + many <= values.length; from += many) statement.run(...values.slice(from, from + many));
    }
  }

  /** Later ones get the next seqs by themselves. Returns the number of values written. */
  #writeFirst(values: readonly (string | number | null)[]): number {
    const beginning = this.#mayBeFirst ? this.#emptyBeginning.get() : null;
    this.#mayBeFirst = beginning !== null;
    if (beginning === null) return 0;
    this.#insertFirst.run(beginning.seq, ...values.slice(0, eventColumns.length));
    return eventColumns.length;
  }
}

function insertInto(columns: readonly string[], rows: number): string {
  const row = `(${columns.map(() => "?").join(", ")})`;
  return `INSERT INTO events (${columns.join(", ")}) VALUES ${new Array(rows).fill(row).join(", ")}`;
}

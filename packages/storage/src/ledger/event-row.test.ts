import { Database } from "bun:sqlite";
import { describe, expect, it } from "bun:test";
import type { Event } from "@tollgate/core/event";
import { sampleSettlement } from "../../../../test/support/rows/sample-event.ts";
import { migrate } from "../engine/sqlite.ts";
import { type EventRow, eventColumns, eventTable, fromRow, pushRow } from "./event-row.ts";
import { ledgerMigrations } from "./migrations.ts";

const inJson: readonly string[] = ["usage", "additional_usage", "budget_flags", "pair"];

/** An event in which no two fields have the same value. */
function distinctEvent(): Event {
  const { event } = sampleSettlement("sample");
  const fields = eventColumns.map((name, index) => {
    if (name === "stream") return [name, true];
    if (inJson.includes(name)) return [name, [{ of: name }]];
    return [name, eventTable[name].kind === "text" ? `a ${name}` : 1000 + index];
  });
  return { ...event, ...Object.fromEntries(fields) };
}

describe("the columns of an event", () => {
  it("match the ledger's table in name, type and nullability", () => {
    const database = new Database(":memory:");
    migrate(database, ledgerMigrations);
    const real = database
      .query<{ name: string; type: string; notnull: number }, []>("PRAGMA table_info(events)")
      .all()
      .filter(({ name }) => name !== "seq")
      .map(({ name, type, notnull }) => [name, { kind: type.toLowerCase(), isNullable: notnull === 0 }]);
    database.close();
    const declared = Object.entries(eventTable).map(([name, { kind, isNullable }]) => [
      name,
      { kind, isNullable },
    ]);
    expect(Object.fromEntries(real)).toEqual(Object.fromEntries(declared));
  });

  it("are bound in order: every field is read back from its own column", () => {
    const event = distinctEvent();
    const values: (string | number | null)[] = [];
    pushRow(event, values);
    expect(values).toHaveLength(eventColumns.length);
    const row = Object.fromEntries(eventColumns.map((name, index) => [name, values[index]]));
    expect(fromRow(row as unknown as EventRow)).toEqual(event);
  });
});

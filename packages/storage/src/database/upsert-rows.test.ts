import { describe, expect, it } from "bun:test";
import { controlDatabases, engines } from "../../../../test/support/labs/control-databases.ts";
import { type Upsert, upsertRows } from "./upsert-rows.ts";

const databases = controlDatabases();

const names = [
  "",
  " ",
  "NULL",
  "null",
  "{}",
  "{a,b}",
  '"',
  '""',
  "\\",
  '\\"',
  'a"b\\c,d{e}f',
  "'); DROP TABLE agents; --",
  "line\nfeed\ttab\r",
  "$1 $& $$",
  "ünïcödé 漢字 🦊",
  "\u0001\u007f\u2028",
];

const agents: Upsert = {
  table: "agents",
  columns: ["scope", "agent_key", "agent_id", "first_seen_at", "last_call_at"],
  key: ["scope", "agent_key"],
  add: [],
  greatest: ["last_call_at"],
  returning: ["agent_key", "last_call_at"],
};

const days: Upsert = {
  table: "customer_days",
  columns: [
    "scope",
    "customer",
    "day",
    "calls",
    "errors",
    "input_tokens",
    "output_tokens",
    "cost_microcents",
  ],
  key: ["scope", "customer", "day"],
  add: ["calls", "errors", "input_tokens", "output_tokens", "cost_microcents"],
};

describe.each(engines)("rows written on %s", engine => {
  it("have the text that was passed, whatever it contains", async () => {
    const { db } = await databases.open(engine);
    const rows = names.map((name, index) => [1, name, `agent-${index}`, index, null]);
    const written = await upsertRows<{ agent_key: string }>(db, engine, agents, rows);
    expect(written.map(row => row.agent_key).sort()).toEqual([...names].sort());
    const stored = await db.selectFrom("agents").selectAll().orderBy("first_seen_at").execute();
    expect(stored.map(row => [row.agent_key, row.agent_id, row.last_call_at])).toEqual(
      names.map((name, index) => [name, `agent-${index}`, null]),
    );
  });

  it("replace a missing number, and keep the greater of two", async () => {
    const { db } = await databases.open(engine);
    const write = (first: number | null, second: number | null) =>
      upsertRows<{ agent_key: string; last_call_at: number | null }>(db, engine, agents, [
        [1, "first", "a", 0, first],
        [1, "second", "b", 0, second],
      ]);
    await write(null, 5);
    const written = await write(7, 3);
    expect(new Map(written.map(row => [row.agent_key, row.last_call_at]))).toEqual(
      new Map([
        ["first", 7],
        ["second", 5],
      ]),
    );
  });

  it("are added to the existing ones exactly, with zeros, negative and large numbers", async () => {
    const { db } = await databases.open(engine);
    const rows = Array.from({ length: 75 }, (_, customer) => [
      ...[1, customer, 1_800_000_000_000, customer % 3, 0],
      ...[customer === 0 ? 2 ** 40 : 0, customer === 74 ? 1 : 0, customer % 2 === 0 ? 2 ** 51 + 1 : -7],
    ]);
    await upsertRows(db, engine, days, rows);
    await upsertRows(db, engine, days, rows.slice(10));
    const stored = await db.selectFrom("customer_days").selectAll().orderBy("customer").execute();
    expect(
      stored.map(row => [row.scope, row.customer, row.day, ...days.add.map(name => row[name as "calls"])]),
    ).toEqual(rows.map((row, index) => row.map((value, at) => (index >= 10 && at >= 3 ? 2 * value : value))));
  });
});

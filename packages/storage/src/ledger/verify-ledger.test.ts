import { Database } from "bun:sqlite";
import { afterEach, describe, expect, it } from "bun:test";
import { microcents, ZERO_MICROCENTS } from "@tollgate/core/money/money";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { sampleIntent, sampleSettlement } from "../../../../test/support/rows/sample-event.ts";
import { Ledger } from "./ledger.ts";
import { LedgerReader } from "./ledger-reader.ts";
import type { Settlement } from "./settling.ts";
import { verifyLedger } from "./verify-ledger.ts";

const path = temporaryFolder();
const opened: { close(): void }[] = [];
let files = 0;

async function ledgerOf(settlements: readonly Settlement[]) {
  const file = path(`verify-${files++}.db`);
  const ledger = new Ledger(file, "normal");
  const reader = new LedgerReader(file);
  opened.push(ledger, reader);
  await ledger.append(settlements);
  return {
    ledger,
    verify: () => verifyLedger(reader),
    plant(sql: string) {
      const database = new Database(file);
      database.run("DROP TRIGGER events_are_never_changed");
      database.run("DROP TRIGGER events_are_never_removed");
      database.run(sql);
      database.close();
    },
  };
}

afterEach(() => {
  for (const handle of opened.splice(0)) handle.close();
});

const sound = () => [
  sampleSettlement("a"),
  sampleSettlement("b", { usage: { input: 7, cache_read: 900, output: 3, reasoning: 5 } }),
  sampleSettlement("c", { mode: "test" }),
  sampleSettlement("d", { cost_basis: "reported", cost_microcents: microcents(12345) }),
  sampleSettlement("e", { cost_basis: "unpriced", cost_microcents: ZERO_MICROCENTS, price_version: null }),
  ...["g", "h"].map(id =>
    sampleSettlement(id, {
      mode: "test",
      cost_basis: "unpriced",
      cost_microcents: ZERO_MICROCENTS,
      price_version: null,
    }),
  ),
  sampleSettlement("f", {
    usage: {},
    usage_source: "none",
    cost_microcents: ZERO_MICROCENTS,
    price_version: null,
    status: "error",
  }),
];

describe("verifyLedger", () => {
  it("REL-005 accepts a ledger whose costs, tokens and counts agree, and sums it to the microcent", async () => {
    const settlements = sound();
    const { verify } = await ledgerOf(settlements);
    const sumOf = (mode: string) =>
      settlements.reduce((sum, { event }) => sum + (event.mode === mode ? event.cost_microcents : 0), 0);
    const test = sumOf("test");
    expect(test).toBeGreaterThan(0);
    expect(verify()).toEqual({
      ok: true,
      events: 8,
      removed_events: 0,
      history_begins_at_ms: null,
      cost_microcents: sumOf("live"),
      unpriced_calls: 1,
      test_unpriced_calls: 2,
      test_cost_microcents: test,
      open_intents: 0,
      differences: [],
    });
  });

  for (const [what, sql, difference] of [
    ["a cost", "UPDATE events SET cost_microcents = cost_microcents + 1 WHERE id = 'b'", "event b: cost is"],
    ["a test call's cost", "UPDATE events SET cost_microcents = 0 WHERE id = 'c'", "event c: cost is 0"],
    [
      "an input count",
      "UPDATE events SET input_tokens = input_tokens - 1 WHERE id = 'a'",
      "event a: input_tokens",
    ],
    ["an output count", "UPDATE events SET output_tokens = 9 WHERE id = 'd'", "event d: output_tokens"],
    ["the breakdown", `UPDATE events SET usage = '{"input":1}' WHERE id = 'a'`, "event a: input_tokens"],
    [
      "a cost without a price",
      "UPDATE events SET cost_microcents = 5 WHERE id = 'e'",
      "event e: a cost without",
    ],
    ["a cost of nothing", "UPDATE events SET cost_microcents = 5 WHERE id = 'f'", "event f: a cost without"],
    [
      "a price version",
      "UPDATE events SET price_version = 'price_x' WHERE id = 'a'",
      "event a: the rates of",
    ],
    ["lost rates", "DELETE FROM rate_cards", "event a: the rates of"],
    [
      "a rate",
      'UPDATE rate_cards SET card = replace(card, \'"output":"\', \'"output":"9\')',
      "event a: cost is",
    ],
    [
      "a monthly count",
      "UPDATE monthly_calls SET calls = calls + 1",
      "monthly calls of org 2026-11: 6 counted, 5",
    ],
    ["a lost monthly count", "DELETE FROM monthly_calls", "monthly calls of org 2026-11: 0 counted, 5"],
    ["a removed event", "DELETE FROM events WHERE id = 'a'", "monthly calls of org 2026-11: 5 counted, 4"],
  ] as const) {
    it(`REL-005 reports a planted difference: ${what}`, async () => {
      const { verify, plant } = await ledgerOf(sound());
      plant(sql);
      const { ok, differences } = verify();
      expect(ok).toBe(false);
      expect(differences[0]).toStartWith(difference);
    });
  }

  it("counts calls in flight without reporting them as a difference", async () => {
    const { ledger, verify } = await ledgerOf(sound());
    await ledger.journal(sampleIntent("under way"), null);
    expect(verify()).toMatchObject({ ok: true, open_intents: 1 });
  });
});

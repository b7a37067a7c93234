import { Database } from "bun:sqlite";
import { describe, expect, it } from "bun:test";
import type { Budget } from "@tollgate/core/budgets/budget";
import { earlyFlag, withheldFlag } from "@tollgate/core/budgets/flags";
import { periodSpan } from "@tollgate/core/budgets/period";
import type { Event } from "@tollgate/core/event";
import { microcents } from "@tollgate/core/money/money";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { sampleBudget } from "../../../../test/support/rows/sample-budget.ts";
import { SAMPLE_DAY, sampleSettlement } from "../../../../test/support/rows/sample-event.ts";
import { Ledger } from "./ledger.ts";
import { LedgerReader } from "./ledger-reader.ts";
import { verifyLedger } from "./verify-ledger.ts";

const path = temporaryFolder();
let ledgers = 0;

const budget = (change: Partial<Budget> = {}) => sampleBudget({ sinceMs: SAMPLE_DAY - 1000, ...change });

/** A ledger whose budgets can be changed while it runs. */
function open(budgets: Budget[]) {
  const file = path(`${ledgers++}.db`);
  const appended: Event[] = [];
  const ledger = new Ledger(file, "normal", () => {}, {
    budgets: {
      refresh() {},
      budgetsOf: (orgId, mode) => budgets.filter(b => b.orgId === orgId && b.mode === mode),
    },
    appended: event => appended.push(event),
  });
  const reader = new LedgerReader(file);
  return {
    file,
    ledger,
    reader,
    appended,
    rows: () =>
      reader.budgetSpends().map(row => [row.budget_id, row.since, row.period, row.spent_microcents]),
    add: (id: string, change: Partial<Event> = {}) => ledger.append([sampleSettlement(id, change)]),
    close() {
      reader.close();
      ledger.close();
    },
  };
}

const cost = sampleSettlement("x").event.cost_microcents;

describe("what a budget has spent", () => {
  it("BUD-024 counts an event toward the budgets of its key and its customer, and verifies", async () => {
    const budgets = [
      budget({ id: "all" }),
      budget({ id: "key", keyId: "k" }),
      budget({ id: "customer", customerId: "c" }),
    ];
    const { ledger, reader, rows, add, close } = open(budgets);
    const cost = (amount: number) => ({
      cost_basis: "reported" as const,
      cost_microcents: microcents(amount),
    });
    await add("a", { ...cost(1), key_id: "k", customer_id: "c" });
    await add("b", { ...cost(2), key_id: "k" });
    await add("c", { ...cost(4), customer_id: "c" });
    await add("d", cost(8));
    expect(rows().map(([id, , , spent]) => [id, spent])).toEqual([
      ["all", 15],
      ["customer", 5],
      ["key", 3],
    ]);
    // One that was created in the meantime is summed from the ledger.
    const late = budget({ id: "late", keyId: "k" });
    budgets.push(late);
    expect(ledger.budgetSpend(late, periodSpan("daily", SAMPLE_DAY)).settledMicrocents).toBe(microcents(3));
    expect(verifyLedger(reader, () => {}, budgets)).toMatchObject({ ok: true });
    close();
  });

  it("BUD-018 is written with every event, settled, recovered or ingested", async () => {
    const bench = open([budget()]);
    await bench.ledger.settle(sampleSettlement("1"));
    await bench.add("2", { source: "ingest" });
    await bench.add("3", { status: "interrupted" });
    expect(bench.rows()).toEqual([["b", SAMPLE_DAY - 1000, "2026-11-15", 3 * cost]]);
    expect(bench.appended.map(({ id }) => id)).toEqual(["2", "3"]);
    bench.close();
  });

  it("BUD-005 BUD-014 covers its organization, mode and agent, from its start", async () => {
    const bench = open([budget(), budget({ id: "a", agentKey: "one" }), budget({ id: "t", mode: "test" })]);
    await bench.add("1", { agent_key: "one" });
    await bench.add("2", { agent_key: "two" });
    await bench.add("3", { mode: "test", agent_key: "one" });
    await bench.add("4", { org_id: "other" });
    await bench.add("5", { created_at: SAMPLE_DAY - 1001 });
    await bench.add("6", { created_at: SAMPLE_DAY + 86_400_000 });
    const sinceMs = SAMPLE_DAY - 1000;
    expect(bench.rows()).toEqual([
      ["a", sinceMs, "2026-11-15", cost],
      ["b", sinceMs, "2026-11-15", 2 * cost],
      ["b", sinceMs, "2026-11-16", cost],
      ["t", sinceMs, "2026-11-15", cost],
    ]);
    bench.close();
  });

  it("BUD-022 keeps withheld amounts apart from spend, across restarts and until a reset", async () => {
    const strict = budget({ isStrict: true });
    const bench = open([strict]);
    const span = periodSpan("daily", SAMPLE_DAY);
    bench.ledger.budgetSpend(strict, span);
    const flags = [
      withheldFlag(strict, microcents(70)),
      withheldFlag({ ...strict, sinceMs: 1 }, microcents(9)),
    ];
    await bench.add("1", { budget_flags: flags, cost_basis: "estimated" });
    await bench.add("2", { budget_flags: flags });
    bench.close();
    const again = new Ledger(bench.file, "normal", () => {});
    expect(again.budgetSpend(strict, span)).toEqual({
      settledMicrocents: microcents(2 * cost),
      withheldMicrocents: microcents(140),
    });
    expect(again.budgetSpend({ ...strict, sinceMs: SAMPLE_DAY + 1 }, span).withheldMicrocents).toBe(
      microcents(0),
    );
    again.close();
  });

  it("BUD-014 counts a call that was admitted under it while the clock was behind, in the period of its admission", async () => {
    const late = budget({ sinceMs: SAMPLE_DAY + 86_400_000 });
    const bench = open([late]);
    bench.ledger.budgetSpend(late, periodSpan("daily", late.sinceMs));
    await bench.add("1", { budget_flags: [earlyFlag(late)] });
    await bench.add("2");
    await bench.add("3", { budget_flags: [earlyFlag({ ...late, sinceMs: late.sinceMs - 1 })] });
    expect(bench.rows()).toEqual([["b", late.sinceMs, "2026-11-16", Number(cost)]]);
    expect(verifyLedger(bench.reader, () => {}, [late])).toMatchObject({ ok: true });
    bench.close();
  });

  it("BUD-014 sums the ledger once when the budget is first seen", async () => {
    const budgets: Budget[] = [];
    const bench = open(budgets);
    for (let count = 0; count < 20; count++) {
      await bench.add(`early-${count}`, { created_at: SAMPLE_DAY - 100 + 10 * count });
    }
    budgets.push(budget({ sinceMs: SAMPLE_DAY }));
    const span = periodSpan("daily", SAMPLE_DAY);
    expect(bench.ledger.budgetSpend(budget({ sinceMs: SAMPLE_DAY }), span).settledMicrocents).toBe(
      microcents(10 * cost),
    );
    await bench.add("next");
    expect(bench.rows()).toEqual([["b", SAMPLE_DAY, "2026-11-15", 11 * cost]]);
    // A reset starts a new sum; the old one stays as it was.
    budgets[0] = budget({ sinceMs: SAMPLE_DAY + 50 });
    await bench.add("after", { created_at: SAMPLE_DAY + 60 });
    expect(bench.rows()).toEqual([
      ["b", SAMPLE_DAY, "2026-11-15", 11 * cost],
      ["b", SAMPLE_DAY + 50, "2026-11-15", 6 * cost],
    ]);
    bench.close();
  });

  it("is summed again after control.db was restored to before a reset of the budget", async () => {
    const older = budget({ sinceMs: SAMPLE_DAY });
    const budgets = [older];
    const bench = open(budgets);
    await bench.add("before", { budget_flags: [withheldFlag(older, microcents(7))] });
    budgets[0] = budget({ sinceMs: SAMPLE_DAY + 50 });
    await bench.add("after", { created_at: SAMPLE_DAY + 60 });
    budgets[0] = older;
    const span = periodSpan("daily", SAMPLE_DAY);
    expect(bench.ledger.budgetSpend(older, span)).toEqual({
      settledMicrocents: microcents(2 * cost),
      withheldMicrocents: microcents(7),
    });
    await bench.add("next", { created_at: SAMPLE_DAY + 70 });
    expect(bench.ledger.budgetSpend(older, span).settledMicrocents).toBe(microcents(3 * cost));
    expect(verifyLedger(bench.reader, () => {}, budgets).differences).toEqual([]);
    bench.close();
  });

  it("BUD-014 scans far enough back if there are many newer events, or ingested older ones", async () => {
    const budgets: Budget[] = [];
    const bench = open(budgets);
    const many = (name: string, count: number, change: Partial<Event>) =>
      bench.ledger.append(
        Array.from({ length: count }, (_, at) => sampleSettlement(`${name}-${at}`, change)),
      );
    await many("before", 6000, { created_at: SAMPLE_DAY - 5000 });
    await many("within", 6000, {});
    await many("old", 6000, { created_at: SAMPLE_DAY - 1e9, source: "ingest" });
    expect(bench.ledger.budgetSpend(budget(), periodSpan("daily", SAMPLE_DAY)).settledMicrocents).toBe(
      microcents(6000 * cost),
    );
    bench.close();
  });

  it("includes pending settlements of the same turn, exactly once", async () => {
    const bench = open([budget()]);
    const writing = bench.ledger.settle(sampleSettlement("1"));
    expect(bench.ledger.budgetSpend(budget(), periodSpan("daily", SAMPLE_DAY)).settledMicrocents).toBe(
      microcents(cost),
    );
    await writing;
    expect(bench.rows().map(row => row[3])).toEqual([cost]);
    bench.close();
  });

  it("counts nothing from a failed write", async () => {
    const bench = open([budget()]);
    await bench.add("1");
    const results = await Promise.allSettled([bench.add("1"), bench.add("2")]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
    expect(bench.rows().map(row => row[3])).toEqual([2 * cost]);
    expect(bench.appended.map(({ id }) => id)).toEqual(["1", "2"]);
    bench.close();
  });
});

describe("verifying what budgets have spent", () => {
  for (const [what, sql] of [
    ["a sum that is too high", "UPDATE budget_spend SET spent_microcents = spent_microcents + 1"],
    ["a sum that is too low", "UPDATE budget_spend SET spent_microcents = spent_microcents - 1"],
    ["a lost period", "DELETE FROM budget_spend WHERE period = '2026-11-16'"],
    [
      "an invented period",
      "INSERT INTO budget_spend SELECT budget_id, since, '2026-11-17', 5, 0 FROM budget_spend LIMIT 1",
    ],
  ] as const) {
    it(`REL-005 finds ${what}`, async () => {
      const bench = open([budget()]);
      await bench.add("1");
      await bench.add("2", { created_at: SAMPLE_DAY + 86_400_000 });
      expect(verifyLedger(bench.reader, () => {}, [budget()])).toMatchObject({ ok: true, differences: [] });
      const database = new Database(bench.file);
      database.run(sql);
      database.close();
      const { differences } = verifyLedger(bench.reader, () => {}, [budget()]);
      expect(differences.length).toBeGreaterThan(0);
      expect(differences[0]).toStartWith("spend of budget b in 2026-11-1");
      bench.close();
    });
  }
});

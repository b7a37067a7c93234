import { afterAll, describe, expect, it } from "bun:test";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { Ledger } from "./ledger.ts";
import { LedgerReader } from "./ledger-reader.ts";
import { MAX_LISTED_REFUSALS, REFUSALS_KEPT_MS, type Refusal, type RefusalCount } from "./refusal-store.ts";

const HOUR = Date.parse("2026-11-15T12:00:00Z");
const folder = temporaryFolder();
const opened: { close(): unknown }[] = [];
afterAll(() => {
  for (const one of opened) one.close();
});

function openLedger(name: string) {
  const ledger = new Ledger(folder(name), "normal");
  const reader = new LedgerReader(folder(name));
  opened.push(reader, ledger);
  return { ledger, reader };
}

const scope = { orgId: "org", mode: "live" } as const;
const everything = { from: 0, to: Number.MAX_SAFE_INTEGER };
const refusal: Refusal = {
  ...scope,
  createdAtMs: HOUR,
  keyId: "key",
  agentKey: "default",
  reason: "rate_limited",
  limit: 10,
  budgetId: null,
};
const count: RefusalCount = {
  ...scope,
  hour: HOUR,
  reason: "rate_limited",
  agentKey: "default",
  keyId: "key",
  calls: 1,
};
const many = (number: number): Refusal[] => new Array(number).fill(refusal);

describe("stored refusals", () => {
  it("WEB-019 are the newest of each organization and mode", async () => {
    const { ledger, reader } = openLedger("many.db");
    const other = { ...refusal, orgId: "other" };
    await ledger.recordRefusals({ refusals: [other], counts: [] }, HOUR);
    for (let batch = 0; batch < 12; batch++) {
      await ledger.recordRefusals({ refusals: many(1000), counts: [] }, HOUR);
    }
    const kept = reader.refusals(scope, {}, Number.MAX_SAFE_INTEGER, 100_000);
    expect(kept.length).toBeWithin(MAX_LISTED_REFUSALS, MAX_LISTED_REFUSALS + 501);
    expect(kept[0]?.id).toBe(12_001);
    expect(reader.refusals({ ...scope, orgId: "other" }, {}, Number.MAX_SAFE_INTEGER, 10)).toHaveLength(1);
    expect(reader.refusals({ ...scope, mode: "test" }, {}, Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
  });

  it("WEB-019 are added to the counts of their hour, also after a restart", async () => {
    const { ledger } = openLedger("counts.db");
    const counts = [count, { ...count, agentKey: "a", calls: 2 }, { ...count, reason: "agent_paused" }];
    await ledger.recordRefusals({ refusals: [], counts }, HOUR);
    const again = openLedger("counts.db");
    await again.ledger.recordRefusals({ refusals: [], counts: [{ ...count, calls: 5 }] }, HOUR);
    const counted = (by: "reason" | "agent" | "key" | "day", agentKey?: string) =>
      again.reader
        .refusalCounts(scope, everything, by, 100, agentKey)
        .map(({ name, calls }) => [name, calls]);
    expect(counted("reason")).toEqual([
      ["rate_limited", 8],
      ["agent_paused", 1],
    ]);
    expect(counted("agent")).toEqual([
      ["default", 7],
      ["a", 2],
    ]);
    expect(counted("reason", "a")).toEqual([["rate_limited", 2]]);
    expect(counted("key")).toEqual([["key", 9]]);
    expect(counted("day")).toEqual([[String(HOUR - (HOUR % 86_400_000)), 9]]);
  });

  it("WEB-019 are deleted after 90 days", async () => {
    const { ledger, reader } = openLedger("old.db");
    await ledger.recordRefusals({ refusals: many(3), counts: [count] }, HOUR);
    const later = HOUR + REFUSALS_KEPT_MS + 1;
    const fresh = { ...refusal, createdAtMs: later };
    await ledger.recordRefusals({ refusals: [fresh], counts: [{ ...count, hour: later, calls: 7 }] }, later);
    expect(reader.refusals(scope, {}, Number.MAX_SAFE_INTEGER, 10).map(row => row.created_at)).toEqual([
      later,
    ]);
    expect(reader.refusalCounts(scope, everything, "reason", 10)).toEqual([
      { name: "rate_limited", calls: 7 },
    ]);
  });

  it("WEB-019 are no events: neither seq nor month nor verification changes", async () => {
    const { ledger, reader } = openLedger("no-events.db");
    await ledger.recordRefusals({ refusals: many(3), counts: [count] }, HOUR);
    expect([reader.newestSeq(), reader.monthlyCalls(), reader.budgetSpends()]).toEqual([0, [], []]);
  });
});

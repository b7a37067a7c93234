import { afterEach, describe, expect, it } from "bun:test";
import { type BudgetLab, costOf, startBudgetLab } from "../../support/labs/budget-lab.ts";
import { eventually } from "../../support/waiting/eventually.ts";
import { fakeClock } from "../../support/waiting/fake-clock.ts";

let lab: BudgetLab;
afterEach(() => lab.stop());

const cases = [
  ["daily", "2026-11-15T23:59:59.999Z", "2026-11-15", "2026-11-16T00:00:00.000Z", "2026-11-16"],
  ["daily", "2028-02-28T23:59:59.999Z", "2028-02-28", "2028-02-29T00:00:00.000Z", "2028-02-29"],
  ["daily", "2028-02-29T23:59:59.999Z", "2028-02-29", "2028-03-01T00:00:00.000Z", "2028-03-01"],
  ["monthly", "2028-02-29T23:59:59.999Z", "2028-02", "2028-03-01T00:00:00.000Z", "2028-03"],
  ["monthly", "2026-12-31T23:59:59.999Z", "2026-12", "2027-01-01T00:00:00.000Z", "2027-01"],
  ["daily", "2026-12-31T23:59:59.999Z", "2026-12-31", "2027-01-01T00:00:00.000Z", "2027-01-01"],
] as const;

describe("a budget's period", () => {
  for (const [period, last, oldId, first, newId] of cases) {
    it(`BUD-013 ${period}: ends at ${first}, even for calls that started before`, async () => {
      const clock = fakeClock(last);
      lab = await startBudgetLab({ now: clock.now, budgetPatienceMs: 20 });
      const id = await lab.addBudget({ period, limit: 2 * costOf(10) });
      expect((await lab.call({ tokens: 10 })).status).toBe(200);

      const held = lab.close();
      const underWay = lab.call({ tokens: 10 }, { body: { max_tokens: 10 } });
      await eventually("it is with the provider", () => lab.sent.length === 2);
      // The reservation has taken the remaining headroom.
      const refused = await lab.call({ tokens: 10 });
      expect(JSON.parse(refused.text)).toMatchObject({ current_spending: costOf(10), retry_at: first });

      clock.set(first);
      const inTheNew = lab.call({ tokens: 1 });
      await eventually("the new period has room", () => lab.sent.length === 3);
      held.open();
      expect([(await underWay).status, (await inTheNew).status]).toEqual([200, 200]);
      expect(lab.spends(id)).toMatchObject([
        { period: oldId, spent_microcents: 2 * costOf(10) },
        { period: newId, spent_microcents: costOf(1) },
      ]);

      // If the clock is set back, the old period is as it was.
      clock.set(last);
      expect((await lab.call({ tokens: 1 })).status).toBe(429);
    });
  }

  it("BUD-013 starts at zero even if nothing ran at that time, and a restart changes nothing", async () => {
    const clock = fakeClock("2026-11-15T10:00:00Z");
    lab = await startBudgetLab({ now: clock.now, budgetPatienceMs: 20 });
    const id = await lab.addBudget({ limit: costOf(1), since: clock.now() });
    expect((await lab.call({ tokens: 1 })).status).toBe(200);
    expect((await lab.call({ tokens: 1 })).status).toBe(429);
    clock.set("2026-11-19T10:00:00Z");
    expect((await lab.call({ tokens: 1 })).status).toBe(200);
    expect((await lab.call({ tokens: 1 })).status).toBe(429);
    expect(lab.spends(id)).toMatchObject([{ period: "2026-11-15" }, { period: "2026-11-19" }]);
  });

  it("BUD-014 counts calls while the clock is behind its start, and blocks at its limit", async () => {
    const clock = fakeClock("2026-11-14T12:00:00.000Z");
    lab = await startBudgetLab({ now: clock.now });
    const since = Date.parse("2026-11-15T12:00:00.000Z");
    const id = await lab.addBudget({ limit: 2 * costOf(10), since });
    expect((await lab.call({ tokens: 10 })).status).toBe(200);
    expect((await lab.call({ tokens: 10 })).status).toBe(200);
    expect(lab.gateway.events().at(-1)?.budget_flags).toEqual([`early:${id}@${since}`]);
    const refused = await lab.call({ tokens: 10 });
    expect([refused.status, JSON.parse(refused.text).current_spending]).toEqual([429, 2 * costOf(10)]);
    expect(lab.spends(id)).toMatchObject([{ period: "2026-11-15", spent_microcents: 2 * costOf(10) }]);
    expect(lab.verify()).toMatchObject({ ok: true });
  });
});

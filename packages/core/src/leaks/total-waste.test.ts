import { describe, expect, it } from "bun:test";
import { microcents } from "../money/money.ts";
import type { Finding } from "./finding.ts";
import type { LeakScan, ScannedAgent } from "./leak-check.ts";
import { totalWaste } from "./total-waste.ts";

const NOW = Date.parse("2026-11-15T12:00:00Z");
const DAY = Date.parse("2026-11-15T00:00:00Z");

const agent = (id: string, cost: number) =>
  ({ id, firstSeenAt: DAY, uses: [{ cost_microcents: cost, first_day: DAY }] }) as unknown as ScannedAgent;
const finding = (agentId: string | null, waste: number) =>
  ({ agentId, wasteMonthly: microcents(waste) }) as Finding;

describe("the waste of all findings", () => {
  it("OPT-017 counts at most an agent's monthly cost, however many checks find the same calls", () => {
    // One observed day: a month is thirty times that.
    const scan = {
      now: NOW,
      from: DAY - 30,
      agents: [agent("a", 10), agent("b", 10)],
    } as unknown as LeakScan;
    const findings = [finding("a", 200), finding("a", 250), finding("b", 70), finding(null, 5)];
    expect(totalWaste(scan, findings)).toBe(300 + 70 + 5);
  });

  it("saturates when a month would cost more than $900 million, instead of failing the scan", () => {
    const scan = { now: NOW, from: DAY - 30, agents: [agent("a", 10 ** 15)] } as unknown as LeakScan;
    const most = Number.MAX_SAFE_INTEGER;
    expect(totalWaste(scan, [finding("a", most)])).toBe(most);
  });
});

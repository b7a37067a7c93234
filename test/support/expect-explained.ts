import { expect } from "bun:test";
import type { CostExplanation } from "@tollgate/core/contract/explain-cost";

const DIGITS = 9;

/** "-0.25" as an integer number of billionths: computed from the text, independently of the code under test. */
export function billionths(decimal: string): bigint {
  const [, sign = "", whole = "", fraction = ""] = /^(-?)(\d+)(?:\.(\d{1,9}))?$/.exec(decimal) ?? [];
  if (whole === "") throw new Error(`not a decimal: ${decimal}`);
  return BigInt(sign + whole + fraction.padEnd(DIGITS, "0"));
}

const microcents = (amount: number) => BigInt(amount) * 10n ** BigInt(DIGITS);

type UsageLine = Extract<CostExplanation["lines"][number], { type: "usage" }>;

/** Every line is count × rate, the lines add up to the cost, and every rate is on a listed card. */
export function expectExplained(explanation: CostExplanation): void {
  const { lines, total_microcents, cost_microcents, adjustment_microcents, rate_cards } = explanation;
  const versions = rate_cards.map(({ price_version }) => price_version);
  const expectUsage = (line: UsageLine) => {
    if (line.rate_microcents === null || line.amount_microcents === null) {
      expect([line.rate_microcents, line.amount_microcents, line.price_version]).toEqual([null, null, null]);
      return;
    }
    expect(billionths(line.amount_microcents)).toBe(BigInt(line.count) * billionths(line.rate_microcents));
    expect(versions).toContain(line.price_version ?? "");
  };
  let sum = 0n;
  for (const line of lines) {
    if (line.type === "usage") expectUsage(line);
    if (line.type === "adjustment") for (const each of line.rerated?.lines ?? []) expectUsage(each);
    if (line.amount_microcents !== null) sum += billionths(line.amount_microcents);
  }
  expect(sum).toBe(microcents(total_microcents));
  expect(total_microcents).toBe(cost_microcents + adjustment_microcents);
  expect(lines.filter(({ type }) => type === "unexplained")).toEqual([]);
  const rounding = lines.filter(({ type }) => type === "rounding");
  expect(rounding.length).toBeLessThanOrEqual(1);
  for (const { amount_microcents } of rounding) {
    const amount = billionths(amount_microcents ?? "");
    expect(2n * (amount < 0n ? -amount : amount)).toBeLessThanOrEqual(microcents(1));
  }
  expect(new Set(versions).size).toBe(versions.length);
}

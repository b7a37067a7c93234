import { MICROCENTS_PER_DOLLAR, type Microcents } from "../money/money.ts";
import { type LeakSeverity, leakSeverities } from "./finding.ts";

/** The minimum severity for an amount of monthly waste. */
const atLeast: readonly (readonly [number, LeakSeverity])[] = [
  [1000 * MICROCENTS_PER_DOLLAR, "critical"],
  [100 * MICROCENTS_PER_DOLLAR, "high"],
  [10 * MICROCENTS_PER_DOLLAR, "medium"],
];

/** Money raises a severity and never lowers it: a new agent's waste starts small. */
export function raisedByMoney(severity: LeakSeverity, wasteMonthly: Microcents): LeakSeverity {
  const byMoney = atLeast.find(([amount]) => wasteMonthly >= amount)?.[1] ?? "low";
  return leakSeverities.indexOf(byMoney) < leakSeverities.indexOf(severity) ? byMoney : severity;
}

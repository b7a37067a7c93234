import type { AlertRule } from "./alert-rule.ts";
import { type BudgetObservation, budgetLimit, budgetWarning } from "./budget-line.ts";
import { costSpike, type DayObservation } from "./cost-spike.ts";
import { errorRate, type LastHourObservation } from "./error-rate.ts";
import { type AgentObservation, idleAgent } from "./idle-agent.ts";
import { type ThresholdObservation, threshold } from "./threshold.ts";
import { usageSpike } from "./usage-spike.ts";

interface Observations {
  /** The cost of a UTC day. */
  readonly day: DayObservation;
  readonly lastHour: LastHourObservation;
  readonly agent: AgentObservation;
  readonly budget: BudgetObservation;
  readonly threshold: ThresholdObservation;
}

/** All rules, by what they observe. A new one is a file, and a line here. */
export const alertRules: { readonly [Kind in keyof Observations]: readonly AlertRule<Observations[Kind]>[] } =
  {
    day: [costSpike],
    lastHour: [errorRate, usageSpike],
    agent: [idleAgent],
    // The higher threshold first: if both are crossed at the same time, only the first is reported.
    budget: [budgetLimit, budgetWarning],
    threshold: [threshold],
  };

import type { AlertRule } from "./alert-rule.ts";
import { type BudgetObservation, budgetLimit, budgetWarning } from "./budget-line.ts";
import { costSpike, type DayObservation } from "./cost-spike.ts";
import { errorRate, type LastHourObservation } from "./error-rate.ts";
import { type AgentObservation, idleAgent } from "./idle-agent.ts";
import { type ThresholdObservation, threshold } from "./threshold.ts";
import { usageSpike } from "./usage-spike.ts";

interface Observations {
  /** What a UTC day has cost. */
  readonly day: DayObservation;
  readonly lastHour: LastHourObservation;
  readonly agent: AgentObservation;
  readonly budget: BudgetObservation;
  readonly threshold: ThresholdObservation;
}

/** Every rule, by what it looks at. A new one is a file, and a line here. */
export const alertRules: { readonly [Kind in keyof Observations]: readonly AlertRule<Observations[Kind]>[] } =
  {
    day: [costSpike],
    lastHour: [errorRate, usageSpike],
    agent: [idleAgent],
    // The higher line first: of two lines crossed at once, only the first is reported.
    budget: [budgetLimit, budgetWarning],
    threshold: [threshold],
  };

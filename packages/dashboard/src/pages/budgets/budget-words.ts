import type { Budget } from "./budget-subject.tsx";

type Enforcement = Budget["enforcement_mode"];

export const periodTitles = { daily: "Daily", monthly: "Monthly" } as const;

export const enforcementTitles: Readonly<Record<Enforcement, string>> = {
  alert_only: "Alert only",
  soft_block: "Warn callers",
  hard_block: "Refuse calls",
};

export const enforcementHelp: Readonly<Record<Enforcement, string>> = {
  alert_only: "Calls continue; an alert is raised.",
  soft_block: "Calls continue with a warning header, and are flagged; an alert is raised.",
  hard_block: "Further calls are answered 429 until the budget resets; an alert is raised.",
};

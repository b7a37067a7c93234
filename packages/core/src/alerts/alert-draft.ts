import type { AlertChannel, AlertSeverity, AlertType } from "./alert-types.ts";

/** The result of a rule: a pure function from an observation to a draft, or to null. */
export interface AlertDraft {
  /** Rule and subject: `cost_spike`, `idle_agent:<agent id>`, `threshold:<id>`. */
  readonly ruleKey: string;
  /** Raised once per period: `2026-11-15`, `2026-11-15T08`. */
  readonly period: string;
  readonly type: AlertType;
  readonly severity: AlertSeverity;
  readonly message: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly agentId: string | null;
  /** The channels configured in the preferences for this type, or these. */
  readonly notify: "preferences" | readonly AlertChannel[];
}

import type { AlertChannel, AlertSeverity, AlertType } from "./alert-types.ts";

/** What a rule has to tell. A rule is a pure function from what was observed to one of these, or to null. */
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
  /** Over the channels that the preferences name for the type, or over these. */
  readonly notify: "preferences" | readonly AlertChannel[];
}

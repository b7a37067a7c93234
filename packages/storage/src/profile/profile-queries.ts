import type { ProfileSums } from "@tollgate/core/profile/profile-sums";
import type { OutputHistogram } from "../database/output-histogram.ts";
import type { Scope } from "../ledger/scope.ts";
import type { Window } from "../read-model/window.ts";

export interface AgentModelProfile extends ProfileSums {
  /** The public UUID. */
  readonly agent_id: string;
  readonly agent_key: string;
  readonly provider: string;
  readonly model: string;
  /** First millisecond of the first and the last UTC day with calls, within the window. */
  readonly first_day: number;
  readonly last_day: number;
  /** Number of days with calls. */
  readonly active_days: number;
  readonly max_input_tokens: number;
  readonly max_output_tokens: number;
  /** Successful calls by output tokens: see `output-histogram.ts`. */
  readonly outputs: OutputHistogram;
}

/** One implementation for both engines (`control-profile.ts`). */
export interface ProfileQueries {
  /**
   * Every agent and model with calls on the UTC days that start within the window, or only these agents (by public id),
   * sorted by agent, then by cost descending. Days are not split: start a window at midnight and end it now.
   */
  agentModels(scope: Scope, window: Window, agentIds?: readonly string[]): Promise<AgentModelProfile[]>;
  /** How many events it is behind the ledger. */
  lag(): Promise<number>;
}

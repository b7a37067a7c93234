import type { Scope } from "@tollgate/storage/ledger/scope";
import type { UsageWatch } from "@tollgate/storage/read-model/reading/watch-usage";
import type { Control } from "../../kernel/context.ts";
import type { ScopeSettings } from "./alert-settings.ts";
import type { LastHourWatch } from "./last-hour-watch.ts";
import type { NewCall } from "./new-call.ts";
import type { UsualDays } from "./usual-days.ts";
import type { UsualHours } from "./usual-hours.ts";

/** Everything that one evaluation of a scope's rules reads. */
export interface ScopeEvaluation {
  readonly control: Pick<Control, "db" | "engine" | "readModel" | "now" | "newId" | "wakeSender">;
  readonly usage: UsageWatch;
  readonly usualDays: UsualDays;
  readonly usualHours: UsualHours;
  readonly scope: Scope;
  readonly settings: ScopeSettings;
  readonly lastHour: LastHourWatch;
  /** New calls since the last evaluation, in ledger order. */
  readonly calls: readonly NewCall[];
  /** How far time is known: without limit, or with a backlog up to the last event read. */
  readonly knownUntil: number;
  /** Whether the last hour is known well enough to resolve anything. */
  readonly endsLastHour: boolean;
  /** Whether there may be alerts to resolve. */
  readonly hasOpenAlerts: boolean;
  /** The same time for every step. */
  readonly now: number;
}

import type { TaskCategory } from "../event.ts";
import type { Microcents } from "../money/money.ts";
import type { Grade } from "./grading/grade.ts";

/** What is stored of one sampled call: numbers, never texts. Rows are in the order of recording. */
export type TrialRow = ComparedPair | ControlPair | ProductionFailure;

interface SampledCall {
  /** When its result was stored: never earlier than the previous row's. */
  readonly recordedAtMs: number;
  readonly sessionId: string | null;
}

/** The production model compared with the candidate. */
export interface ComparedPair extends SampledCall, Grade {
  readonly kind: "compared";
  readonly category: TaskCategory;
  readonly production: PairedCall;
  readonly candidate: PairedCall;
}

/** The production model compared with a second answer of its own. */
interface ControlPair extends SampledCall, Grade {
  readonly kind: "control";
  readonly production: PairedCall;
}

/** The production model itself failed: there is nothing to compare, but its failures count. */
interface ProductionFailure extends SampledCall {
  readonly kind: "production_failed";
}

interface PairedCall {
  readonly isFailed: boolean;
  /** null: not measured. */
  readonly latencyMs: number | null;
  /** null: no price is known. */
  readonly costMicrocents: Microcents | null;
  /** As named by the provider; null: it was not. */
  readonly servedModel: string | null;
}

import type { AnswerTap } from "./answer-tap.ts";
import type { Call } from "./call.ts";

/** Selects calls whose answers are compared by verifications. */
export interface Sampler {
  /** null for nearly every call: nothing of it is stored. */
  sample(call: Call): AnswerTap | null;
}

import type { AnswerTap } from "./answer-tap.ts";
import type { Call } from "./call.ts";

/** Chooses calls whose answers verifications compare. */
export interface Sampler {
  /** null for nearly every call: nothing of it is kept. */
  sample(call: Call): AnswerTap | null;
}

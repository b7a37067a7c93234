import { parseArgs } from "node:util";

export interface EstimatesOptions {
  /** Recorded streams; null: those of our simulator. */
  readonly streams: string | null;
  readonly cuts: number;
  /** Streams with fewer output tokens are excluded. */
  readonly atLeast: number;
  readonly seed: number;
  readonly json: boolean;
}

export const usage = "bench estimates [--streams DIR] [--at-least TOKENS] [--cuts N] [--seed N] [--json]";

/** Throws with a message for the user if an argument is invalid. */
export function readOptions(args: readonly string[]): EstimatesOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      streams: { type: "string" },
      "at-least": { type: "string", default: "1" },
      cuts: { type: "string", default: "400" },
      seed: { type: "string", default: "1" },
      json: { type: "boolean", default: false },
    },
  });
  const counted = (name: "cuts" | "at-least" | "seed", least: number): number => {
    const count = Number(values[name]);
    if (Number.isSafeInteger(count) && count >= least) return count;
    throw new Error(`--${name}: an integer of at least ${least}`);
  };
  return {
    streams: values.streams ?? null,
    cuts: counted("cuts", 1),
    atLeast: counted("at-least", 1),
    seed: counted("seed", 0),
    json: values.json,
  };
}

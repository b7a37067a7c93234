import { parseArgs } from "node:util";

export interface LiveOptions {
  readonly quick: boolean;
  readonly json: boolean;
}

export const usage = "bench live [--quick] [--json]";

/** Throws with a message for the user if an argument is invalid. */
export function readOptions(args: readonly string[]): LiveOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
    },
  });
  return { quick: values.quick, json: values.json };
}

import { parseArgs } from "node:util";

export interface ClusterOptions {
  readonly json: boolean;
  readonly only: ReadonlySet<string>;
  readonly callsPerSecond: number;
  /** How many processes are killed. */
  readonly kills: number;
  /** How long a fault lasts. */
  readonly seconds: number;
  /** Of everything random, so that a run can be repeated. */
  readonly seed: number;
}

export const usage =
  "bench cluster [--kills N] [--seconds S] [--rate CALLS_PER_SECOND] [--seed N] [--only NAME,…] [--json]";

/** Throws with a message for the user if an argument is invalid. */
export function readOptions(args: readonly string[], rowNames: readonly string[]): ClusterOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
      rate: { type: "string", default: "60" },
      kills: { type: "string", default: "20" },
      seconds: { type: "string", default: "10" },
      seed: { type: "string", default: "1" },
    },
  });
  const wanted = values.only.flatMap(names => names.split(",")).filter(name => name !== "");
  const unknown = wanted.find(name => !rowNames.includes(name));
  if (unknown !== undefined)
    throw new Error(`--only: there is no \`${unknown}\`; there are: ${rowNames.join(", ")}`);
  return {
    json: values.json,
    only: new Set(wanted.length === 0 ? rowNames : wanted),
    callsPerSecond: positive("rate", values.rate),
    kills: positive("kills", values.kills),
    seconds: positive("seconds", values.seconds),
    seed: positive("seed", values.seed),
  };
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`--${name} must be a whole number above 0`);
  return value;
}

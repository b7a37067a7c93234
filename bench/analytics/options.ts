import { parseArgs } from "node:util";

export interface AnalyticsOptions {
  readonly events: number;
  readonly json: boolean;
}

export const usage = "bench analytics [--events N] [--json]";

const TEN_MILLION = 10_000_000;

/** Throws with a message for the user if an argument is invalid. */
export function readOptions(args: readonly string[]): AnalyticsOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      events: { type: "string", default: `${TEN_MILLION}` },
      json: { type: "boolean", default: false },
    },
  });
  const events = Number(values.events);
  if (!Number.isSafeInteger(events) || events < 1000) {
    throw new Error("--events: an integer of at least 1000");
  }
  return { events, json: values.json };
}

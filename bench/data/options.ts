import { parseArgs } from "node:util";

export interface DataOptions {
  readonly events: number;
  /** Models per agent; the size of the agent profile grows with it. */
  readonly modelsPerAgent: number;
  /** A prepared directory is stored here and reused; null: built only for this run. */
  readonly data: string | null;
  readonly json: boolean;
}

export const optionsUsage = "[--events N] [--models-per-agent N] [--data DIR] [--json]";

const TEN_MILLION = 10_000_000;
export const MAX_MODELS = 30;

/** Throws with a message for the user if an argument is invalid. */
export function readOptions(args: readonly string[]): DataOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      events: { type: "string", default: `${TEN_MILLION}` },
      "models-per-agent": { type: "string", default: `${MAX_MODELS}` },
      data: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const events = Number(values.events);
  if (!Number.isSafeInteger(events) || events < 20_000) {
    throw new Error("--events: an integer of at least 20,000");
  }
  const modelsPerAgent = Number(values["models-per-agent"]);
  if (!Number.isSafeInteger(modelsPerAgent) || modelsPerAgent < 1 || modelsPerAgent > MAX_MODELS) {
    throw new Error(`--models-per-agent: an integer from 1 to ${MAX_MODELS}`);
  }
  return { events, modelsPerAgent, data: values.data ?? null, json: values.json };
}

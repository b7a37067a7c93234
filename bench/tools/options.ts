import { parseArgs } from "node:util";

export interface ToolsOptions {
  readonly events: number;
  /** Models that an agent uses; what is kept of agents grows with it. */
  readonly modelsPerAgent: number;
  /** A built directory is kept here and used again; null: built for this run alone. */
  readonly data: string | null;
  readonly json: boolean;
}

export const usage = "bench tools [--events N] [--models-per-agent N] [--data DIR] [--json]";

const TEN_MILLION = 10_000_000;
export const MOST_MODELS = 30;

/** Throws with a sentence for the user when an argument is not understood. */
export function readOptions(args: readonly string[]): ToolsOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      events: { type: "string", default: `${TEN_MILLION}` },
      "models-per-agent": { type: "string", default: `${MOST_MODELS}` },
      data: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const events = Number(values.events);
  if (!Number.isSafeInteger(events) || events < 20_000) {
    throw new Error("--events: a whole number, 20,000 at least");
  }
  const modelsPerAgent = Number(values["models-per-agent"]);
  if (!Number.isSafeInteger(modelsPerAgent) || modelsPerAgent < 1 || modelsPerAgent > MOST_MODELS) {
    throw new Error(`--models-per-agent: a whole number, 1 to ${MOST_MODELS}`);
  }
  return { events, modelsPerAgent, data: values.data ?? null, json: values.json };
}

import { percentile } from "../kit/percentile.ts";
import type { Question } from "./questions.ts";

export interface QuestionResult {
  readonly name: string;
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** The same query over the raw events, once; null if there is no such statement. */
  readonly rawMs: number | null;
}

const TURNS = 60;
const WARM_UP = 3;

export async function measureQuestion(
  question: Question,
  runRaw: ((statement: string) => void) | null,
  turns = TURNS,
): Promise<QuestionResult> {
  const times: number[] = [];
  for (let turn = 0; turn < turns + WARM_UP; turn++) {
    const started = performance.now();
    await question.ask(turn);
    if (turn >= WARM_UP) times.push(performance.now() - started);
    await new Promise(resolve => setImmediate(resolve));
  }
  times.sort((a, b) => a - b);
  let rawMs: number | null = null;
  if (runRaw !== null && question.rawSql !== null) {
    const started = performance.now();
    runRaw(question.rawSql);
    rawMs = performance.now() - started;
  }
  return {
    name: question.name,
    p50Ms: percentile(times, 0.5) ?? Number.NaN,
    p95Ms: percentile(times, 0.95) ?? Number.NaN,
    rawMs,
  };
}

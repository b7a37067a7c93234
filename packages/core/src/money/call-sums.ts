/** Totals over calls. */
export interface CallSums {
  readonly calls: number;
  /** `error`, `timeout` and `interrupted`; a client that disconnected is not an error. */
  readonly errors: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_microcents: number;
  /** Calls of unknown cost: counted in `calls`, but in no cost. */
  readonly unpriced_calls: number;
}

export type RunningSums = { -readonly [Name in keyof CallSums]: number };

export function noCalls(): RunningSums {
  return {
    calls: 0,
    errors: 0,
    input_tokens: 0,
    output_tokens: 0,
    cost_microcents: 0,
    unpriced_calls: 0,
  };
}

export function addCalls(sums: RunningSums, more: CallSums): void {
  sums.calls += more.calls;
  sums.errors += more.errors;
  sums.input_tokens += more.input_tokens;
  sums.output_tokens += more.output_tokens;
  sums.cost_microcents += more.cost_microcents;
  sums.unpriced_calls += more.unpriced_calls;
}

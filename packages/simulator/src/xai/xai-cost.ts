/** Ticks per token: 1 USD is 10^10 ticks, so a price of $1 per million tokens is 10,000. */
interface TickRates {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

const rates: readonly (readonly [prefix: string, rate: TickRates])[] = [
  ["grok-3-mini", { input: 3_000, cached: 750, output: 5_000 }],
  ["grok-3", { input: 30_000, cached: 7_500, output: 150_000 }],
  ["grok-4-fast", { input: 2_000, cached: 500, output: 5_000 }],
  ["grok-4-1-fast", { input: 2_000, cached: 500, output: 5_000 }],
  ["grok-code-fast", { input: 2_000, cached: 200, output: 15_000 }],
];

const otherModels: TickRates = { input: 30_000, cached: 7_500, output: 150_000 };

/** Every xAI answer states the billed amount. `output` includes reasoning. */
export function xaiCostTicks(
  model: string,
  tokens: { input: number; cached: number; output: number },
): number {
  const rate = rates.find(([prefix]) => model.startsWith(prefix))?.[1] ?? otherModels;
  return (
    (tokens.input - tokens.cached) * rate.input + tokens.cached * rate.cached + tokens.output * rate.output
  );
}

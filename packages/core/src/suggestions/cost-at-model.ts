import type { ModelFacts } from "../models/model-facts.ts";
import { divideHalfEven, RATE_SCALE } from "../money/money.ts";
import type { ModelObservation } from "./agent-observation.ts";

/** The cost of the same tokens at another model's list price, in microcents. */
export function costAtModel(use: ModelObservation, { rates }: ModelFacts): bigint {
  return divideHalfEven(
    BigInt(use.uncached_input_tokens) * rates.input +
      BigInt(use.cache_read_tokens) * rates.cache_read +
      BigInt(use.cache_write_tokens) * rates.cache_write +
      BigInt(use.cache_write_1h_tokens) * rates.cache_write_1h +
      BigInt(use.output_tokens) * rates.output,
    RATE_SCALE,
  );
}

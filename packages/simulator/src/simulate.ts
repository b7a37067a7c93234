import type { ProviderId } from "@tollgate/core/provider-id";
import { simulateAnthropic } from "./anthropic/simulate-anthropic.ts";
import { type Call, type CallOptions, readCall } from "./call.ts";
import { simulateGoogle } from "./google/simulate-google.ts";
import { simulateOpenai } from "./openai/simulate-openai.ts";
import { simulateXai } from "./xai/simulate-xai.ts";

const simulators: Readonly<Record<ProviderId, (call: Call) => Promise<Response>>> = {
  openai: simulateOpenai,
  anthropic: simulateAnthropic,
  google: simulateGoogle,
  xai: simulateXai,
};

export type SimulateOptions = CallOptions;

/**
 * Answers like the provider, byte for byte in its wire format, without any network. The same request gets the same
 * answer; only timestamps depend on the clock. Throws what `fetch` would throw if a connection fails.
 */
export async function simulate(
  provider: ProviderId,
  request: Request,
  options: SimulateOptions = {},
): Promise<Response> {
  return simulators[provider](await readCall(request, options));
}

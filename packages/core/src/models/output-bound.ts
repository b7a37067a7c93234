import type { ProviderId } from "../provider-id.ts";
import { maxOutputTokens } from "./max-output.ts";

/**
 * The maximum total output of all answers to a request. `asked` is unchecked caller input: no model exceeds its own
 * limit.
 */
export function outputBound(
  provider: ProviderId,
  model: string,
  asked: number | null,
  choices: number,
): number {
  const longest = maxOutputTokens(provider, model);
  const each =
    asked !== null && Number.isSafeInteger(asked) && asked >= 0 ? Math.min(asked, longest) : longest;
  return each * choices;
}

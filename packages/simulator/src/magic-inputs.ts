import type { ProviderId } from "@tollgate/core/provider-id";

/**
 * Write one of these into the last user message (or an embedding's input), and the simulated provider fails
 * as the real one would:
 *
 * | input                               | openai        | anthropic     | google        | xai            |
 * |-------------------------------------|---------------|---------------|---------------|----------------|
 * | `tollgate:simulate=rate_limit`      | 429           | 429           | 429           | 429            |
 * | `tollgate:simulate=overload`        | 503           | 529           | 503           | 503            |
 * | `tollgate:simulate=hang`            | no answer, not even headers, until the caller gives up          |
 * | `tollgate:simulate=reset`           | half the stream, then the connection breaks; plain: refused     |
 * | `tollgate:simulate=refusal`         | refusal text  | stop reason   | SAFETY finish | content_filter |
 * | `tollgate:simulate=error_after_200` | half the stream, then the provider's error frame; plain: an error |
 */
export const magicInputs = {
  rate_limit: {
    does: "the provider's rate limit error, with the time to wait where that provider sends it",
    status: { openai: 429, anthropic: 429, google: 429, xai: 429 },
  },
  overload: {
    does: "the provider's answer when it has no capacity left",
    status: { openai: 503, anthropic: 529, google: 503, xai: 503 },
  },
  hang: {
    does: "no answer, not even headers, until the caller gives up",
    status: null,
  },
  reset: {
    does: "streamed: half of the frames, then the connection breaks; not streamed: the connection is refused",
    status: null,
  },
  refusal: {
    does: "the model declines: refusal text at openai, stop_reason refusal at anthropic, finishReason SAFETY with empty content at google, finish_reason content_filter at xai",
    status: { openai: 200, anthropic: 200, google: 200, xai: 200 },
  },
  error_after_200: {
    does: "streamed: half of the frames, then the provider's error frame; not streamed: the provider's internal error",
    status: { openai: 500, anthropic: 500, google: 500, xai: 500 },
  },
} as const satisfies Record<string, { does: string; status: Readonly<Record<ProviderId, number>> | null }>;

export type MagicInput = keyof typeof magicInputs;

export const MAGIC_PREFIX = "tollgate:simulate=";

/** Real providers suggest a sensible delay; ours is short, because people wait for it. */
export const RETRY_AFTER_SECONDS = 1;

/** An unknown word after the prefix is ordinary text. */
export function findMagicInput(text: string): MagicInput | null {
  const at = text.indexOf(MAGIC_PREFIX);
  if (at < 0) return null;
  const word = /^[a-z0-9_]+/.exec(text.slice(at + MAGIC_PREFIX.length))?.[0] ?? "";
  return isMagicInput(word) ? word : null;
}

function isMagicInput(word: string): word is MagicInput {
  return Object.hasOwn(magicInputs, word);
}

import { textPrompt } from "@tollgate/core/pricing/prompt-size";

/** A completed call with a prompt of 400 bytes, as it is priced. */
export const samplePricedCall = {
  provider: "anthropic",
  model: "big",
  createdAtMs: Date.parse("2026-11-15"),
  prompt: textPrompt(400),
  ending: "completed",
  asked: null,
  hidden: null,
  outputBound: null,
} as const;

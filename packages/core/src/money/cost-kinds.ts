import type { UsageKind } from "./usage.ts";

/** What a cost is made of. The kinds of one event add up to its cost. */
export const costKinds = [
  "input",
  "cache_read",
  "cache_write",
  "output",
  "reasoning",
  "tools",
  "reported", // stated as one amount by the provider or the sender of the event
  "adjustment", // added by reratings
] as const;

export type CostKind = (typeof costKinds)[number];

export const costKindOf: { readonly [kind in UsageKind]: CostKind } = {
  input: "input",
  input_audio: "input",
  input_image: "input",
  cache_read: "cache_read",
  cache_read_audio: "cache_read",
  cache_read_image: "cache_read",
  cache_write: "cache_write",
  cache_write_1h: "cache_write",
  output: "output",
  output_audio: "output",
  output_image: "output",
  reasoning: "reasoning",
  web_searches: "tools",
  file_searches: "tools",
  violations: "tools",
};

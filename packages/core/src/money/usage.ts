/**
 * What a provider bills, with every token in exactly one kind: kinds never overlap. Providers disagree on which counts
 * include which; their readers (`providers/<name>/read-usage.ts`) resolve that. An absent kind is a known zero. Unknown
 * usage is `null`, never an empty record.
 */

export const inputKinds = [
  "input", // text and everything without its own kind; never cached
  "cache_read",
  "cache_write", // the provider's default lifetime: 5 minutes at anthropic, 30 at openai
  "cache_write_1h", // its longer lifetime: an hour at anthropic, 12 hours at openai
  "input_audio",
  "cache_read_audio",
  "input_image",
  "cache_read_image",
] as const;

export const outputKinds = ["output", "reasoning", "output_audio", "output_image"] as const;

/** Counted individually, not in tokens. */
export const toolKinds = ["web_searches", "file_searches"] as const;

const feeKinds = [
  "violations", // requests that the provider declined, and charges a fixed fee for
] as const;

export const usageKinds = [...inputKinds, ...outputKinds, ...toolKinds, ...feeKinds] as const;

/** All kinds that are not tokens. */
export const pieceKinds: ReadonlySet<UsageKind> = new Set([...toolKinds, ...feeKinds]);

export type UsageKind = (typeof usageKinds)[number];

export type Usage = { readonly [kind in UsageKind]?: number };

export function inputTokens(usage: Usage): number {
  return total(usage, inputKinds);
}

export function outputTokens(usage: Usage): number {
  return total(usage, outputKinds);
}

function total(usage: Usage, kinds: readonly UsageKind[]): number {
  let sum = 0;
  for (const kind of kinds) sum += usage[kind] ?? 0;
  return sum;
}

/** Drops zeros, so that equal usages are equal records. A negative or fractional count is a decoder's bug. */
export function usageOf(counts: { [kind in UsageKind]?: number | undefined }): Usage {
  const usage: { [kind in UsageKind]?: number } = {};
  for (const kind of usageKinds) {
    const count = counts[kind];
    if (count === undefined || count === 0) continue;
    if (!Number.isSafeInteger(count) || count < 0) throw new RangeError(`${kind} cannot be ${count}`);
    usage[kind] = count;
  }
  return usage;
}

export function addUsage(a: Usage, b: Usage): Usage {
  const sum: { [kind in UsageKind]?: number } = { ...a };
  for (const kind of usageKinds) {
    const count = b[kind];
    if (count) sum[kind] = (sum[kind] ?? 0) + count;
  }
  return sum;
}

/**
 * A rate card is everything that turns one call's usage into money: a complete set of rates for one provider and model,
 * at one date, on one side of the long-context threshold, under one service condition. Cards are stored under their
 * version, so that any past cost can be recomputed after prices have changed.
 */
import { z } from "zod";
import { divideHalfEven, multiplyRate, type Rate, ratePerMillion, ratePerThousand } from "../money/money.ts";
import { outputKinds, pieceKinds, type toolKinds, type UsageKind, usageKinds } from "../money/usage.ts";
import { type ProviderId, providerIds } from "../provider-id.ts";
import { jsonObjectOf } from "../wire/json-fields.ts";
import { billingOf } from "./billing/registry.ts";

export type Rates = { readonly [kind in UsageKind]: Rate };

/** What a price list states. Only the input rate is always present. */
export type KnownRates = { readonly [kind in UsageKind]?: Rate } & { readonly input: Rate };

export type ToolRates = { readonly [kind in (typeof toolKinds)[number]]: Rate };

export interface RateCard {
  readonly provider: ProviderId;
  /** The id of the price entry: snapshots and aliases of a model share it, and therefore its cards. */
  readonly model: string;
  /** `genai-prices@0.1.8`, `tollgate` (our corrections), `file` (the operator's) or `override` (an organization's own). */
  readonly source: string;
  /** First UTC day of this price; null: the oldest price known. */
  readonly effectiveFrom: string | null;
  /** This card is for requests with more input tokens than this; null: the price below any threshold. */
  readonly aboveInputTokens: number | null;
  /** `standard`, `flex`, `priority`, `fast+us`, `unknown:<name>`…; the factor is already in the rates. */
  readonly condition: string;
  readonly rates: Rates;
}

/**
 * Fallbacks for unstated rates: the first of these that is stated. An unstated cache read costs as much as reading the
 * prompt again, so a gap in the data overcharges rather than giving tokens away.
 */
const fallbacks: { readonly [kind in UsageKind]: readonly UsageKind[] } = {
  input: [],
  output: [], // only embeddings have no output price, and no output
  cache_read: ["input"],
  cache_write: ["input"],
  cache_write_1h: ["cache_write", "input"], // anthropic and openai: see `longWrite`
  input_audio: ["input"],
  cache_read_audio: ["cache_read", "input_audio", "input"],
  input_image: ["input"],
  cache_read_image: ["cache_read", "input_image", "input"],
  reasoning: ["output"],
  output_audio: ["output"],
  output_image: ["output"],
  web_searches: [],
  file_searches: [],
  violations: [],
};

const noCharge = ratePerMillion(0);

export function completeRates(provider: ProviderId, known: KnownRates, tools: ToolRates): Rates {
  const { longWrite, violationFees = "0" } = billingOf[provider];
  const violations = ratePerThousand(violationFees);
  const stated: { readonly [kind in UsageKind]?: Rate } = { violations, ...tools, ...known };
  const rateOf = (kind: UsageKind): Rate => {
    const own = stated[kind];
    if (own !== undefined) return own;
    const ofLongWrite = kind === "cache_write_1h" && longWrite ? known[longWrite.of] : undefined;
    if (longWrite && ofLongWrite !== undefined) return multiplyRate(ofLongWrite, longWrite.factor);
    for (const other of fallbacks[kind]) {
      const rate = stated[other];
      if (rate !== undefined) return rate;
    }
    return noCharge;
  };
  return everyKind(rateOf);
}

interface RateFactors {
  /** For tokens only: service tiers do not change the price of a search. */
  readonly factors: readonly string[];
  /** Used instead for cache reads, if they differ. */
  readonly cacheReadFactors?: readonly string[];
  readonly searchFactors?: readonly string[];
  /** Used for output besides the others. */
  readonly outputFactors?: readonly string[];
}

const cacheReads: ReadonlySet<UsageKind> = new Set(["cache_read", "cache_read_audio", "cache_read_image"]);
const outputs: ReadonlySet<UsageKind> = new Set(outputKinds);

export function scaleRates(rates: Rates, by: RateFactors): Rates {
  const { factors, cacheReadFactors = factors, searchFactors = [], outputFactors = [] } = by;
  if (factors.length + cacheReadFactors.length + searchFactors.length + outputFactors.length === 0)
    return rates;
  const ofOutput = [...factors, ...outputFactors];
  return everyKind(kind => {
    const own = cacheReads.has(kind) ? cacheReadFactors : outputs.has(kind) ? ofOutput : factors;
    const applied = kind === "web_searches" ? searchFactors : pieceKinds.has(kind) ? [] : own;
    return applied.reduce(scaleRate, rates[kind]);
  });
}

/**
 * A factor is a decimal (`1.75`) or a fraction (`5/3`: $0.15 becomes $0.25). Every published price times its published
 * factor is an integer here; a price file may be finer, and is then rounded to a billionth of a microcent instead of
 * failing the call.
 */
function scaleRate(rate: Rate, factor: string): Rate {
  const match = /^(\d+)(?:\.(\d+))?(?:\/(\d+))?$/.exec(factor);
  if (!match) throw new RangeError(`not a factor: ${factor}`);
  const [, whole = "", fraction = "", over = "1"] = match;
  const divisor = 10n ** BigInt(fraction.length) * BigInt(over);
  return divideHalfEven(rate * BigInt(whole + fraction), divisor) as Rate;
}

function everyKind(rateOf: (kind: UsageKind) => Rate): Rates {
  return {
    input: rateOf("input"),
    cache_read: rateOf("cache_read"),
    cache_write: rateOf("cache_write"),
    cache_write_1h: rateOf("cache_write_1h"),
    input_audio: rateOf("input_audio"),
    cache_read_audio: rateOf("cache_read_audio"),
    input_image: rateOf("input_image"),
    cache_read_image: rateOf("cache_read_image"),
    output: rateOf("output"),
    reasoning: rateOf("reasoning"),
    output_audio: rateOf("output_audio"),
    output_image: rateOf("output_image"),
    web_searches: rateOf("web_searches"),
    file_searches: rateOf("file_searches"),
    violations: rateOf("violations"),
  };
}

/** Kinds that older cards do not have. Where they are free they are left out, so that equal cards keep their version. */
const addedKinds: { readonly [kind in UsageKind]?: "0" } = { violations: "0" };

/** Canonical: sorted keys, and rates as decimal strings (a JSON number would lose digits). */
export function encodeRateCard(card: RateCard): string {
  const stated = [...usageKinds].sort().map(kind => [kind, String(card.rates[kind])] as const);
  const rates = Object.fromEntries(stated.filter(([kind, rate]) => addedKinds[kind] !== rate));
  return JSON.stringify({
    aboveInputTokens: card.aboveInputTokens,
    condition: card.condition,
    effectiveFrom: card.effectiveFrom,
    model: card.model,
    provider: card.provider,
    rates,
    source: card.source,
  });
}

const RateText = z
  .string()
  .regex(/^\d+$/)
  .transform(text => BigInt(text) as Rate);

const RateCardSchema = z.strictObject({
  aboveInputTokens: z.int().nonnegative().nullable(),
  condition: z.string().min(1),
  effectiveFrom: z.iso.date().nullable(),
  model: z.string().min(1),
  provider: z.enum(providerIds),
  rates: z.preprocess(
    stated => ({ ...addedKinds, ...jsonObjectOf(stated) }),
    z.record(z.enum(usageKinds), RateText),
  ),
  source: z.string().min(1),
});

export function decodeRateCard(text: string): RateCard {
  return RateCardSchema.parse(JSON.parse(text));
}

const versions = new WeakMap<RateCard, string>();

/** `price_` and the 128-bit FNV-1a hash of the canonical text, in base 36. */
export function priceVersion(card: RateCard): string {
  let version = versions.get(card);
  if (version === undefined) {
    version = `price_${fnv1a128(encodeRateCard(card)).toString(36).padStart(25, "0")}`;
    versions.set(card, version);
  }
  return version;
}

/**
 * Not cryptographic, and it need not be: the operator sets the prices, a collision benefits no one, and with 128 bits
 * an accidental one is impossible in practice. It keeps this package free of any runtime's crypto.
 */
function fnv1a128(text: string): bigint {
  let hash = 0x6c62272e07bb014262b821756295c58dn;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(128, (hash ^ BigInt(byte)) * 0x0000000001000000000000000000013bn);
  }
  return hash;
}

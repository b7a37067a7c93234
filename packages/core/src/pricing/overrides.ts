/**
 * Prices that override the base: our own corrections and the operator's file (`SVC_PRICES_FILE`), in one format. An
 * entry is a complete price, not a change to another one: missing rates follow the chain in `rates.ts`, so that a file
 * keeps its meaning when the base is updated.
 */
import { z } from "zod";
import { multiplyRate, type Rate, ratePerMillion, ratePerThousand } from "../money/money.ts";
import type { UsageKind } from "../money/usage.ts";
import { type ProviderId, providerIds } from "../provider-id.ts";
import { plainIssues } from "../wire/plain-issues.ts";
import { plainName } from "./model-name.ts";
import { type PricePeriod, startOf } from "./price-period.ts";
import { completeRates, type KnownRates, type Rates } from "./rates.ts";
import { toolRatesOf } from "./tool-rates.ts";

/**
 * $100,000. At this price, the cost of a call with 100 million tokens of every kind is still an exact integer, whatever
 * its service factor.
 */
const MAX_CENTS = 10_000_000;

/** Cents, as a number or decimal text. With six decimals, every service factor stays exact. */
const Cents = z
  .union([z.number().nonnegative(), z.string()])
  .refine(
    cents => /^\d+(\.\d{1,6})?$/.test(String(cents)),
    "must be an amount in cents of at most 6 decimals, 0 or more",
  )
  .refine(
    cents => !(Number(cents) > MAX_CENTS),
    `must be at most ${MAX_CENTS.toLocaleString("en")} cents ($100,000)`,
  );

const tokenPrices = {
  input_per_million_cents: Cents,
  output_per_million_cents: Cents,
  reasoning_per_million_cents: Cents.optional(),
  cache_read_per_million_cents: Cents.optional(),
  cache_write_per_million_cents: Cents.optional(),
  cache_write_1h_per_million_cents: Cents.optional(),
  input_audio_per_million_cents: Cents.optional(),
  cache_read_audio_per_million_cents: Cents.optional(),
  output_audio_per_million_cents: Cents.optional(),
  input_image_per_million_cents: Cents.optional(),
  cache_read_image_per_million_cents: Cents.optional(),
  output_image_per_million_cents: Cents.optional(),
};

/** What the price of a model states, in a file or for an organization. */
export const statedPrices = {
  ...tokenPrices,
  web_search_per_thousand_cents: Cents.optional(),
  file_search_per_thousand_cents: Cents.optional(),
};

const Name = z.string().trim().min(1).toLowerCase();

const PriceOverrideSchema = z
  .strictObject({
    provider: z.enum(providerIds),
    /** One model, including its dated snapshots. */
    model: Name.optional(),
    /** Every model whose name starts with this. */
    prefix: Name.optional(),
    /** First UTC day of this price. */
    from: z.iso.date().optional(),
    /** Shown by GET /v1/models. */
    created: z.iso.date().optional(),
    context_window: z.int().positive().optional(),
    ...statedPrices,
    long_context: z.strictObject({ above_tokens: z.int().positive(), ...tokenPrices }).optional(),
  })
  .refine(entry => (entry.model === undefined) !== (entry.prefix === undefined), {
    message: "needs either `model` or `prefix`",
  });

const PriceOverridesSchema = z.array(PriceOverrideSchema);

export type PriceOverridesInput = z.input<typeof PriceOverridesSchema>;
export type PriceOverrides = z.output<typeof PriceOverridesSchema>;
type PriceOverride = PriceOverrides[number];
type TokenPrices = Pick<PriceOverride, keyof typeof tokenPrices>;

/** All faults of a price file together, each with its entry. */
export class PriceFileError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`the price file is not valid:\n${faults.map(fault => `- ${fault}`).join("\n")}`);
    this.name = "PriceFileError";
  }
}

export function parsePriceOverrides(json: unknown): PriceOverrides {
  const parsed = PriceOverridesSchema.safeParse(json, plainIssues);
  if (!parsed.success) throw new PriceFileError(parsed.error.issues.map(issue => faultOf(issue, json)));
  const seen = new Map<string, number>();
  const twice = parsed.data.flatMap((entry, index) => {
    const name = plainName(entry.provider, entry.model ?? `${entry.prefix}*`);
    const key = `${entry.provider} ${name} ${entry.from ?? "always"}`;
    const first = seen.get(key);
    seen.set(key, first ?? index);
    return first === undefined ? [] : [`${entryName(json, index)}: the same model and day as entry ${first}`];
  });
  if (twice.length > 0) throw new PriceFileError(twice);
  return parsed.data;
}

function faultOf(issue: z.core.$ZodIssue, json: unknown): string {
  const [index, ...field] = issue.path;
  if (typeof index !== "number") return "the file must be a JSON array of prices";
  const place = field.length === 0 ? "" : `${field.map(String).join(".")}: `;
  return `${entryName(json, index)}: ${place}${issue.message}`;
}

function entryName(json: unknown, index: number): string {
  const entry: unknown = Array.isArray(json) ? json[index] : undefined;
  if (typeof entry !== "object" || entry === null) return `entry ${index}`;
  const text = (field: string): string | undefined => {
    const value: unknown = Reflect.get(entry, field);
    return typeof value === "string" ? value : undefined;
  };
  const model = text("model") ?? text("prefix");
  return model === undefined ? `entry ${index}` : `entry ${index} (${text("provider") ?? "?"} ${model})`;
}

export interface OverridePeriod {
  readonly provider: ProviderId;
  readonly model: string | null;
  readonly prefix: string | null;
  readonly created: string | null;
  readonly contextWindow: number | null;
  readonly period: PricePeriod;
}

export function compileOverrides(source: string, overrides: PriceOverrides): readonly OverridePeriod[] {
  return overrides.map(entry => {
    const model = plainName(entry.provider, entry.model ?? entry.prefix ?? "");
    const from = entry.from ?? null;
    const long = entry.long_context;
    const higher = long ? [{ aboveInputTokens: long.above_tokens, rates: ratesOf(entry, model, long) }] : [];
    return {
      provider: entry.provider,
      model: entry.model === undefined ? null : model,
      prefix: entry.prefix === undefined ? null : model,
      created: entry.created ?? null,
      contextWindow: entry.context_window ?? null,
      period: {
        provider: entry.provider,
        model,
        source,
        from,
        fromMs: startOf(from),
        tiers: [{ aboveInputTokens: null, rates: ratesOf(entry, model, entry) }, ...higher],
      },
    };
  });
}

/** A price that an organization has set for itself. */
export interface OrganizationPrice {
  readonly provider: string;
  readonly model: string;
  /** JSON of `statedPrices`. */
  readonly prices: string;
  readonly effectiveFromMs: number;
}

/** In force from the millisecond at which they were set. */
export function compileOrganizationPrices(prices: readonly OrganizationPrice[]): OverridePeriod[] {
  return prices.flatMap(({ provider, model, prices: stated, effectiveFromMs: fromMs }) => {
    // Written by `prices.overrides.set`. A price that was set before there was a limit must not stop the organization's calls.
    const entry = { provider, model, ...(JSON.parse(stated) as object) } as PriceOverride;
    const from = new Date(fromMs).toISOString().slice(0, 10);
    return compileOverrides(ORGANIZATION_SOURCE, [entry]).map(compiled => ({
      ...compiled,
      period: { ...compiled.period, from, fromMs },
    }));
  });
}

/** The source of rate cards made of an organization's own prices. */
export const ORGANIZATION_SOURCE = "override";

function ratesOf(entry: PriceOverride, model: string, prices: TokenPrices): Rates {
  const perMillion = (cents: string | number): Rate => multiplyRate(ratePerMillion(cents), "0.01");
  const perThousand = (cents: string | number): Rate => multiplyRate(ratePerThousand(cents), "0.01");
  const known: { [kind in UsageKind]?: Rate } = {};
  const state = (
    kind: UsageKind,
    cents: string | number | undefined,
    toRate: (cents: string | number) => Rate,
  ) => {
    if (cents !== undefined) known[kind] = toRate(cents);
  };
  state("output", prices.output_per_million_cents, perMillion);
  state("reasoning", prices.reasoning_per_million_cents, perMillion);
  state("cache_read", prices.cache_read_per_million_cents, perMillion);
  state("cache_write", prices.cache_write_per_million_cents, perMillion);
  state("cache_write_1h", prices.cache_write_1h_per_million_cents, perMillion);
  state("input_audio", prices.input_audio_per_million_cents, perMillion);
  state("cache_read_audio", prices.cache_read_audio_per_million_cents, perMillion);
  state("output_audio", prices.output_audio_per_million_cents, perMillion);
  state("input_image", prices.input_image_per_million_cents, perMillion);
  state("cache_read_image", prices.cache_read_image_per_million_cents, perMillion);
  state("output_image", prices.output_image_per_million_cents, perMillion);
  state("web_searches", entry.web_search_per_thousand_cents, perThousand);
  state("file_searches", entry.file_search_per_thousand_cents, perThousand);
  const stated: KnownRates = { ...known, input: perMillion(prices.input_per_million_cents) };
  return completeRates(entry.provider, stated, toolRatesOf(entry.provider, model));
}

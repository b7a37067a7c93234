/** A provider's billing rules besides its model prices. One file per provider, and a line in `registry.ts`. */
export interface ProviderBilling {
  /** Its id in the price package. */
  readonly packageId: string;
  /** Whether its API serves the model: the package may list others under its name. */
  serves(packageModelId: string): boolean;
  /** Names of its models, including those released after the price data: they are routed, but unpriced. */
  readonly modelNames: RegExp;
  /** A lower-case model name without the prefixes and suffixes that clients may add. */
  plainName(name: string): string;
  /** The name in the form used by the patterns below. */
  patternName(name: string): string;
  /** Words in names that say how a model works, and do not change its price. */
  readonly modeWords: readonly string[];
  toolPrices(model: string): ToolPrices;
  /** Service tiers that a request can ask for and that change the price. */
  readonly pricedTiers: ReadonlySet<unknown>;
  /** A request translated for this provider keeps its tier. */
  readonly keepsTranslatedTier: boolean;
  /** A request can ask for a speed and a region, at other prices. */
  readonly pricesSpeedAndRegion: boolean;
  /** Dollars per thousand requests that it declines because they violate its guidelines; absent: they are free. */
  readonly violationFees?: string;
  readonly tierFactors: FactorsByName;
  readonly speedFactors?: FactorsByName;
  readonly regionFactors?: FactorsByName;
  /** Multiply the price of a web search. */
  readonly searchFactors?: FactorsByName;
  /** Multiply the price of all output of an answer that the model thought about. */
  readonly thinkingFactors?: FactorByModel;
  /** What a cache write of the longer lifetime costs, if a price list states `of`, but not this. */
  readonly longWrite?: { readonly of: "input" | "cache_write"; readonly factor: string };
  /** Prompts are cached only if the request marks them, and a write costs extra. */
  readonly needsCacheMarks: boolean;
  readonly media: MediaBilling;
}

/** How input other than text is counted, for estimates. */
export interface MediaBilling {
  /** Tokens of a document's page, which most providers read both as text and as an image. */
  readonly pageTokens: number;
  readonly audioTokensPerSecond: number;
}

/** Dollars per thousand. Zero: the provider has no such tool, or does not charge for it. */
export interface ToolPrices {
  readonly webSearches: string;
  readonly fileSearches: string;
}

/** The first pattern that matches the model's name wins. */
export type FactorByModel = readonly (readonly [name: RegExp, factor: string, ofCacheReads?: string])[];

export type FactorsByName = { readonly [name: string]: FactorByModel };

export const anyModel = /^/;

export const half: FactorByModel = [[anyModel, "0.5"]];

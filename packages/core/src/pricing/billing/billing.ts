/** What a provider's bill has of its own, beside the prices of its models. One file a provider, and a line in `registry.ts`. */
export interface ProviderBilling {
  /** Its id in the price package. */
  readonly packageId: string;
  /** The package may list models under its name that its API does not serve. */
  serves(packageModelId: string): boolean;
  /** Names of its models, those that came after the price data included: they are routed, and unpriced. */
  readonly modelNames: RegExp;
  /** A model's name without what clients may write around it; in lower case already. */
  plainName(name: string): string;
  /** The name that the patterns below are written for. */
  patternName(name: string): string;
  toolPrices(model: string): ToolPrices;
  /** Names of service tiers that a request can ask for and that change the price. */
  readonly pricedTiers: ReadonlySet<unknown>;
  /** A request that is translated for this provider keeps its tier. */
  readonly keepsTranslatedTier: boolean;
  /** A request can ask for a speed and a region, at other prices. */
  readonly pricesSpeedAndRegion: boolean;
  readonly tierFactors: FactorsByName;
  readonly speedFactors?: FactorsByName;
  readonly regionFactors?: FactorsByName;
  /** Multiply the price of a web search. */
  readonly searchFactors?: FactorsByName;
  /** Of the input price, for a cache write that lasts an hour, where a price list does not state it. */
  readonly oneHourWriteFactor?: string;
  /** Prompts are cached only where the request marks them, and a write costs extra. */
  readonly needsCacheMarks: boolean;
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

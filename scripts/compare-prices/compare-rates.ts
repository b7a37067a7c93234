/** Compares every rate of a second price table with what the catalogue would bill. */
import type { Rate } from "@tollgate/core/money/money";
import { pieceKinds, type UsageKind } from "@tollgate/core/money/usage";
import type { Catalogue } from "@tollgate/core/pricing/catalogue";
import type { ServedUnder } from "@tollgate/core/pricing/service-conditions";
import type { ProviderId } from "@tollgate/core/provider-id";
import type { StatedModel, StatedRate } from "./litellm-table.ts";

/** One line per difference; the committed list of explanations repeats it verbatim. */
export function compareRates(models: readonly StatedModel[], catalogue: Catalogue, at: Date): string[] {
  const lines = models.flatMap(model => compareModel(model, catalogue, at));
  return [...new Set(lines)].sort();
}

/** Modes that the gateway serves. A model of another mode is compared if we price it, but is not a gap. */
const servedModes: ReadonlySet<string> = new Set(["chat", "responses", "embedding"]);

function compareModel(model: StatedModel, catalogue: Catalogue, at: Date): string[] {
  const who = `${model.provider} ${model.name}`;
  const listPrice = model.rates.find(
    rate => rate.kind === "input" && rate.above === null && rate.tier === null,
  );
  const cardOf = (tokens: number, served: ServedUnder) =>
    catalogue.card(model.provider, model.name, at, tokens, served);
  if (cardOf(0, list) === null) {
    const isGap = servedModes.has(model.mode) && listPrice !== undefined;
    return isGap ? [`${who}: unpriced, LiteLLM ${text(listPrice.dollars)}`] : [];
  }
  const lines = model.unread.map(field => `${who}: unread field ${field}`);
  for (const stated of model.rates) {
    const card = cardOf(
      stated.above === null ? 0 : stated.above + 1,
      servedUnder(model.provider, stated.tier),
    );
    const ours = card === null ? Number.NaN : dollarsOf(stated.kind, card.rates[stated.kind]);
    if (!isSame(ours, stated.dollars))
      lines.push(`${who}: ${nameOf(stated)} ${text(ours)}, LiteLLM ${text(stated.dollars)}`);
  }
  return [
    ...lines,
    ...compareThreshold(who, model, tokens => cardOf(tokens, list)?.aboveInputTokens ?? null),
  ];
}

/** Exactly at the boundary the tables differ by a token; each provider's documentation decides (docs/decisions/0003). */
function compareThreshold(
  who: string,
  { rates }: StatedModel,
  tierAt: (tokens: number) => number | null,
): string[] {
  const inputs = rates.filter(({ kind, tier }) => kind === "input" && tier === null);
  const base = inputs.find(({ above }) => above === null)?.dollars;
  const theirs = inputs.find(({ above, dollars }) => above !== null && dollars !== base)?.above ?? null;
  const ours = tierAt(Number.MAX_SAFE_INTEGER);
  if (ours === theirs || (ours !== null && theirs === ours + 1)) return [];
  return [`${who}: long context above ${ours ?? "no threshold"}, LiteLLM ${theirs ?? "no threshold"}`];
}

function servedUnder(provider: ProviderId, tier: string | null): ServedUnder {
  if (provider === "anthropic" && tier === "fast") return { ...list, speed: tier };
  if (provider === "anthropic" && tier === "us") return { ...list, region: tier };
  return { ...list, serviceTier: tier };
}

/** The opposite direction: models of ours that are missing from the table. */
export function onlyInCatalogue(models: readonly StatedModel[], catalogue: Catalogue, at: Date): string[] {
  const priced = new Set(
    models.map(({ provider, name }) => `${provider} ${catalogue.find(provider, name)?.id ?? name}`),
  );
  return catalogue
    .models(at)
    .map(({ provider, id }) => `${provider} ${id}`)
    .filter(model => !priced.has(model))
    .sort();
}

const list: ServedUnder = { serviceTier: null, speed: null, region: null };

/** A rate is in billionths of a microcent; a dollar has 10⁷ microcents. */
function dollarsOf(kind: UsageKind, rate: Rate): number {
  return Number(rate) / (pieceKinds.has(kind) ? 1e13 : 1e10);
}

/** Their numbers are floats. */
function isSame(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-9 * Math.max(a, b);
}

function nameOf({ kind, above, tier }: StatedRate): string {
  return [kind, ...(above === null ? [] : [`above ${above}`]), ...(tier === null ? [] : [tier])].join(" ");
}

function text(dollars: number): string {
  return `$${Number(dollars.toPrecision(9))}`;
}

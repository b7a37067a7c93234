import { type ModelFacts, modelsOf } from "../../models/model-facts.ts";
import type { Catalogue } from "../../pricing/catalogue.ts";
import type { ProviderId } from "../../provider-id.ts";

/**
 * Models above this price think for minutes. A judge is called twice per pair: it would use up a verification's spend
 * before there is a verdict.
 */
const MAX_OUTPUT_CENTS_PER_MILLION = 3_000;

/** Enough for a request and two answers. */
const MIN_CONTEXT_WINDOW = 32_000;

export interface Compared {
  readonly provider: ProviderId;
  readonly model: string;
}

/**
 * The judge, if a policy names none: the strongest model of the caller's provider, whose key came with the call, that is
 * neither of the two compared. Strength is not published, but priced: the strongest is the general model with the most
 * expensive output, of those the newest. null: the provider has no third model.
 */
export function chooseJudge(
  catalogue: Catalogue,
  provider: ProviderId,
  compared: readonly Compared[],
  at: Date,
): ModelFacts | null {
  const taken = new Set(
    compared.map(one => `${one.provider} ${catalogue.find(one.provider, one.model)?.id}`),
  );
  const candidates = modelsOf(catalogue, { provider }, at).filter(
    facts =>
      !facts.isLegacy &&
      facts.outputCentsPerMillion <= MAX_OUTPUT_CENTS_PER_MILLION &&
      (facts.contextWindow === null || facts.contextWindow >= MIN_CONTEXT_WINDOW) &&
      !taken.has(`${facts.provider} ${facts.id}`),
  );
  return candidates.toSorted(strongestFirst)[0] ?? null;
}

function strongestFirst(a: ModelFacts, b: ModelFacts): number {
  return (
    b.outputCentsPerMillion - a.outputCentsPerMillion ||
    (b.releasedOn ?? "").localeCompare(a.releasedOn ?? "") ||
    // Without a date, names sort by version number.
    b.id.localeCompare(a.id, "en", { numeric: true })
  );
}

/**
 * LiteLLM's price table as a list of rates, in dollars per million tokens (searches: per thousand). A field's name
 * contains the kind, the context threshold and the tier: `cache_read_input_token_cost_above_272k_tokens_priority`.
 */

import type { UsageKind } from "@tollgate/core/money/usage";
import { isProviderId, type ProviderId } from "@tollgate/core/provider-id";

export interface StatedModel {
  readonly provider: ProviderId;
  readonly name: string;
  /** `chat`, `embedding`, `video_generation`… */
  readonly mode: string;
  readonly rates: readonly StatedRate[];
  /** Fields that look like prices and that nothing here reads. */
  readonly unread: readonly string[];
}

export interface StatedRate {
  readonly kind: UsageKind;
  readonly dollars: number;
  /** For prompts above this many tokens; null: the base price. */
  readonly above: number | null;
  /** `flex`, `priority`, `batch`…; null: the list price. */
  readonly tier: string | null;
}

const providers: { readonly [name: string]: string } = {
  gemini: "google",
  "text-completion-openai": "openai",
};

const kinds: { readonly [field: string]: UsageKind } = {
  input_cost_per_token: "input",
  output_cost_per_token: "output",
  output_cost_per_reasoning_token: "reasoning",
  cache_read_input_token_cost: "cache_read",
  cache_creation_input_token_cost: "cache_write",
  cache_creation_input_token_cost_above_1hr: "cache_write_1h",
  cache_creation_input_token_cost_above_12hr: "cache_write_1h",
  input_cost_per_audio_token: "input_audio",
  output_cost_per_audio_token: "output_audio",
  cache_read_input_audio_token_cost: "cache_read_audio",
  input_cost_per_image_token: "input_image",
  output_cost_per_image_token: "output_image",
  cache_read_input_image_token_cost: "cache_read_image",
};

/** Prices per unit that we do not count: seconds, characters, images, video, maps, containers. */
const otherUnits =
  /_per_(second|character|image|pixel|text_message|video)|_video_token|_maps_grounding_|_per_session|^cache_creation_input_audio/;

const tierNames: { readonly [suffix: string]: string } = { batches: "batch" };

export function readLitellmTable(table: unknown): StatedModel[] {
  return Object.entries(fieldsOf(table)).flatMap(([key, value]) => {
    const entry = fieldsOf(value);
    const owner = String(entry.litellm_provider);
    const provider = providers[owner] ?? owner;
    const name = key.replace(/^(openai|anthropic|gemini|xai)\//, "");
    // `1024-x-1024/gpt-image-1`: images by size and quality.
    if (!isProviderId(provider) || name.includes("/")) return [];
    return [{ provider, name, mode: String(entry.mode), ...readRates(entry) }];
  });
}

function readRates(entry: Fields): Pick<StatedModel, "rates" | "unread"> {
  const rates: StatedRate[] = [];
  const unread: string[] = [];
  for (const [field, value] of Object.entries(entry)) {
    if (!field.includes("cost")) continue;
    const stated = readField(field);
    if (field === "search_context_cost_per_query") rates.push(...readSearches(fieldsOf(value)));
    else if (stated !== null && typeof value === "number") rates.push({ ...stated, dollars: value * 1e6 });
    else if (!otherUnits.test(field)) unread.push(field);
  }
  return { rates: [...rates, ...readFactors(entry, rates)], unread };
}

/** If a large search costs more than a small one, the medium one is the default. */
function readSearches({ search_context_size_medium: each }: Fields): StatedRate[] {
  return typeof each === "number"
    ? [{ kind: "web_searches", dollars: each * 1e3, above: null, tier: null }]
    : [];
}

/** Anthropic's `fast` and `us`: a factor on every rate, so it is applied to the input. */
function readFactors(entry: Fields, rates: readonly StatedRate[]): StatedRate[] {
  const input = rates.find(rate => rate.kind === "input" && rate.above === null && rate.tier === null);
  return Object.entries(fieldsOf(entry.provider_specific_entry)).flatMap(([tier, factor]) =>
    input !== undefined && typeof factor === "number"
      ? [{ ...input, tier, dollars: input.dollars * factor }]
      : [],
  );
}

function readField(field: string): Omit<StatedRate, "dollars"> | null {
  const parts =
    /^(.+?(?:_above_1hr)?)(?:_above_(\d+)k_tokens)?(?:_(batches|flex|priority|ultrafast|decisions))?$/.exec(
      field,
    );
  const kind = kinds[parts?.[1] ?? ""];
  if (kind === undefined) return null;
  const [, , thousands, tier] = parts ?? [];
  return {
    kind,
    above: thousands === undefined ? null : Number(thousands) * 1000,
    tier: tier === undefined ? null : (tierNames[tier] ?? tier),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

import { describe, expect, it } from "bun:test";
import { calcPrice, findProvider, type Usage as PackageUsage } from "@pydantic/genai-prices";
import packageJson from "../../package.json";
import { MICROCENTS_PER_DOLLAR } from "../money/money.ts";
import { inputTokens, outputTokens, type Usage } from "../money/usage.ts";
import { type ProviderId, providerIds } from "../provider-id.ts";
import { BASE_PRICES_SOURCE, basePrices, kindOfPriceKey } from "./base-prices.ts";
import { billingOf } from "./billing/registry.ts";
import { costOf } from "./cost.ts";
import { cardFor, tierFor } from "./price-period.ts";
import { listCondition } from "./service-conditions.ts";

const packageIds = { openai: "openai", anthropic: "anthropic", google: "google", xai: "x-ai" } as const;

const dataOf = (provider: ProviderId) => findProvider({ providerId: packageIds[provider] })?.models ?? [];

const pricesOf = (model: ReturnType<typeof dataOf>[number]) =>
  Array.isArray(model.prices) ? model.prices.map(conditional => conditional.prices) : [model.prices];

describe("the compiled base prices", () => {
  it("name the installed version", () => {
    expect(BASE_PRICES_SOURCE).toBe(`genai-prices@${packageJson.dependencies["@pydantic/genai-prices"]}`);
  });

  it("omit only price keys without a matching kind of usage", () => {
    const left = new Set<string>();
    for (const provider of providerIds) {
      for (const prices of dataOf(provider).flatMap(pricesOf)) {
        for (const key of Object.keys(prices)) if (!kindOfPriceKey.has(key)) left.add(key);
      }
    }
    expect([...left].sort()).toEqual([
      "audio_hours",
      "input_audio_hours",
      "input_text_messages_kcount",
      "input_video_mtok",
      "output_video_mtok",
    ]);
  });

  it("omit only models without a token price", () => {
    const left: string[] = [];
    for (const provider of providerIds) {
      const kept = new Set(basePrices(provider).map(model => model.id));
      for (const { id } of dataOf(provider)) {
        if (!kept.has(id) && !(provider === "google" && /^(claude|gemma)-/.test(id))) left.push(id);
      }
    }
    expect(left).toEqual([
      "gpt-transcribe",
      "moderation",
      "whisper-1",
      "grok-voice-latest",
      "grok-voice-think-fast-1.0",
      "grok-voice-think-fast-2.0",
    ]);
  });

  it("MON-002 MON-006 MON-008 agree with the package's own calculation, for every model, date and tier", () => {
    let compared = 0;
    for (const provider of providerIds) {
      for (const model of basePrices(provider)) {
        if (basePrices(provider).find(other => other.matches(model.id)) !== model) continue;
        for (const day of ["2025-01-01", "2026-04-01", "2026-11-01", "2027-02-01"]) {
          const at = new Date(`${day}T06:00:00Z`);
          const period = model.periods.find(({ fromMs }) => fromMs <= at.getTime());
          if (!period) throw new Error(`${model.id} has no price on ${day}`);
          const entries = dataOf(provider).filter(({ id }) => id === model.id);
          const keys = new Set(entries.flatMap(pricesOf).flatMap(prices => Object.keys(prices)));
          for (const scale of [1, 900, 9_000]) {
            const usage = usageFor(provider, keys, scale);
            const ours = costOf(usage, cardFor(period, tierFor(period, inputTokens(usage)), listCondition));
            const theirs = calcPrice(packageUsage(usage), model.id, {
              providerId: packageIds[provider],
              timestamp: at,
            });
            if (!theirs) throw new Error(`the package has no price for ${model.id}`);
            const difference = Math.abs(theirs.total_price * MICROCENTS_PER_DOLLAR - Number(ours));
            expect({ model: model.id, day, scale, near: difference <= 1 }).toMatchObject({ near: true });
            compared += 1;
          }
        }
      }
    }
    expect(compared).toBeGreaterThan(1500);
  });
});

/** Every kind, except for rates that we add to the package's. */
function usageFor(provider: ProviderId, keys: ReadonlySet<string>, scale: number): Usage {
  return {
    input: 7 * scale,
    cache_read: 11 * scale,
    cache_write: 3 * scale,
    ...(!billingOf[provider].longWrite || keys.has("cache_write_1h_mtok")
      ? { cache_write_1h: 5 * scale }
      : {}),
    input_audio: 2 * scale,
    cache_read_audio: scale,
    input_image: 4 * scale,
    cache_read_image: 6 * scale,
    output: 13 * scale,
    output_audio: 8 * scale,
    output_image: 9 * scale,
    ...(keys.has("web_searches_kcount") ? { web_searches: 2 } : {}),
    ...(keys.has("storage_searches_kcount") ? { file_searches: 3 } : {}),
  };
}

/** In the package totals include their parts; our kinds never overlap. */
function packageUsage(usage: Usage): PackageUsage {
  const sum = (...counts: (number | undefined)[]) =>
    counts.reduce<number>((total, count = 0) => total + count, 0);
  return {
    input_tokens: inputTokens(usage),
    cache_read_tokens: sum(usage.cache_read, usage.cache_read_audio, usage.cache_read_image),
    cache_write_tokens: sum(usage.cache_write, usage.cache_write_1h),
    cache_write_1h_tokens: usage.cache_write_1h,
    input_audio_tokens: sum(usage.input_audio, usage.cache_read_audio),
    cache_audio_read_tokens: usage.cache_read_audio,
    input_image_tokens: sum(usage.input_image, usage.cache_read_image),
    cache_image_read_tokens: usage.cache_read_image,
    output_tokens: outputTokens(usage),
    output_audio_tokens: usage.output_audio,
    output_image_tokens: usage.output_image,
    web_searches: usage.web_searches,
    storage_searches: usage.file_searches,
  };
}

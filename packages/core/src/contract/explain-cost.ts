/**
 * Why an event costs what it costs, line by line. The lines add up exactly: amounts are unrounded, the one rounding
 * is a line of its own, and what the ledger cannot account for is stated as such instead of being left out.
 */
import type { z } from "zod";
import type { Event } from "../event.ts";
import { RATE_SCALE } from "../money/money.ts";
import { pieceKinds, type Usage, usageKinds } from "../money/usage.ts";
import { costOfParts, exactCost, type PricedUsage } from "../pricing/cost.ts";
import { priceVersion, type RateCard } from "../pricing/rates.ts";
import { type UsagePart, usageParts } from "../pricing/usage-parts.ts";
import type { costExplanationResource } from "./events.ts";
import { toIsoTime } from "./fields/iso-time.ts";

export type CostExplanation = z.infer<typeof costExplanationResource>;
type Line = CostExplanation["lines"][number];
type UsageLine = Extract<Line, { type: "usage" }>;

/** A rerating that was booked. */
export interface BookedAdjustment {
  readonly amountMicrocents: number;
  readonly createdAtMs: number;
  readonly priceVersion: string;
  /** Of the event's parts, in their order; null: not all of them were kept. */
  readonly cards: readonly RateCard[] | null;
}

/** `adjustments` in the order in which they were booked. */
export function explainCost(
  event: Event,
  cardOf: (version: string) => RateCard | null,
  adjustments: readonly BookedAdjustment[],
): CostExplanation {
  const adjustment = adjustments.reduce((sum, { amountMicrocents }) => sum + amountMicrocents, 0);
  const cards = new Map<string, RateCard>();
  const remember = (card: RateCard, usage: Usage) => {
    if (hasUsage(usage)) cards.set(priceVersion(card), card);
  };
  const lines = bookedLines(event, cardOf, remember);
  let booked: number = event.cost_microcents;
  for (const one of adjustments) {
    lines.push(adjustmentLine(event, one, booked, remember));
    booked += one.amountMicrocents;
  }
  return {
    event_id: event.external_id ?? event.id,
    explanation: inWords(event, lines, adjustments.length > 0),
    cost_basis: event.cost_basis,
    usage_source: event.usage_source,
    service_tier: event.service_tier,
    cost_microcents: event.cost_microcents,
    adjustment_microcents: adjustment,
    total_microcents: event.cost_microcents + adjustment,
    is_unpriced: event.cost_basis === "unpriced" && adjustments.length === 0,
    lines,
    rate_cards: [...cards].map(([version, card]) => shownCard(version, card)),
  };
}

/** What was booked with the event. */
function bookedLines(
  event: Event,
  cardOf: (version: string) => RateCard | null,
  remember: (card: RateCard, usage: Usage) => void,
): Line[] {
  if (event.cost_basis === "reported") {
    return [{ type: "reported", amount_microcents: String(event.cost_microcents) }];
  }
  const lines: Line[] = [];
  const isPriced = event.cost_basis !== "unpriced";
  let exact = 0n;
  for (const part of usageParts(event)) {
    const card = isPriced && part.price_version !== null ? cardOf(part.price_version) : null;
    if (card !== null) {
      remember(card, part.usage);
      exact += exactCost(part.usage, card);
    }
    lines.push(...usageLines(part, card));
  }
  return [...lines, ...restLines(exact, event.cost_microcents)];
}

/** From the exact sum to the booked cost: less than one microcent is the rounding, anything else is a fault. */
function restLines(exact: bigint, costMicrocents: number): Line[] {
  const rest = BigInt(costMicrocents) * RATE_SCALE - exact;
  if (rest === 0n) return [];
  const isRounding = 2n * (rest < 0n ? -rest : rest) <= RATE_SCALE;
  return [{ type: isRounding ? "rounding" : "unexplained", amount_microcents: toDecimal(rest) }];
}

function adjustmentLine(
  event: Event,
  { amountMicrocents, createdAtMs: createdAt, priceVersion: version, cards }: BookedAdjustment,
  bookedMicrocents: number,
  remember: (card: RateCard, usage: Usage) => void,
): Line {
  const parts = usageParts(event);
  const priced = parts.flatMap(({ usage }, index): PricedUsage[] => {
    const card = cards?.[index];
    return card === undefined ? [] : [{ usage, card }];
  });
  const cost = costOfParts(priced);
  // It explains the difference only if it leads to it.
  const isWhole =
    priced.length === parts.length && cost !== null && cost === bookedMicrocents + amountMicrocents;
  if (isWhole) for (const { card, usage } of priced) remember(card, usage);
  return {
    type: "adjustment",
    amount_microcents: String(amountMicrocents),
    created_at: toIsoTime(createdAt),
    price_version: version,
    rerated: isWhole
      ? {
          to_microcents: cost,
          lines: parts.flatMap((part, index) => usageLines(part, priced[index]?.card ?? null)),
        }
      : null,
  };
}

function usageLines({ model, usage }: UsagePart, card: RateCard | null): UsageLine[] {
  return usageKinds.flatMap((kind): UsageLine[] => {
    const count = usage[kind];
    if (!count) return [];
    const rate = card?.rates[kind];
    return [
      {
        type: "usage",
        kind,
        model,
        count,
        unit: pieceKinds.has(kind) ? "use" : "token",
        rate_microcents: rate === undefined ? null : toDecimal(rate),
        amount_microcents: rate === undefined ? null : toDecimal(BigInt(count) * rate),
        price_version: card === null ? null : priceVersion(card),
      },
    ];
  });
}

function hasUsage(usage: Usage): boolean {
  return usageKinds.some(kind => (usage[kind] ?? 0) > 0);
}

function shownCard(version: string, card: RateCard): CostExplanation["rate_cards"][number] {
  return {
    price_version: version,
    provider: card.provider,
    model: card.model,
    source: card.source,
    effective_from: card.effectiveFrom,
    above_input_tokens: card.aboveInputTokens,
    service_condition: card.condition,
  };
}

function inWords(event: Event, lines: readonly Line[], isRerated: boolean): string {
  const sentences = [basisInWords(event, isRerated)];
  if (isRerated && event.cost_basis !== "unpriced") {
    sentences.push("It was rerated since, at the prices known then for the day of the call.");
  }
  if (lines.some(({ type }) => type === "unexplained")) {
    sentences.push("The ledger does not account for all of it: run `svc ledger verify`.");
  }
  return sentences.join(" ");
}

function basisInWords(event: Event, isRerated: boolean): string {
  switch (event.cost_basis) {
    case "reported":
      return event.source === "gateway"
        ? "Reported: the provider itself stated what it billed, and that amount is kept as it is."
        : "Reported: the amount was sent with the event, and is kept as it is.";
    case "unpriced":
      if (isRerated) return "Unpriced when the call was made; a rerating has priced it since.";
      return event.usage_source === "none"
        ? "Unpriced: neither usage nor cost was reported, so the cost is unknown, not zero."
        : "Unpriced: no price is known for all of it, so the cost is unknown, not zero.";
    case "estimated":
      switch (event.usage_source) {
        case "none":
          return "Estimated: nothing that could be billed was seen before the call ended.";
        case "provider":
          return "Estimated: the provider reported the usage, but nobody can say for certain at which rates all of it is billed; those of the rate card are assumed.";
        case "estimated":
          return "Estimated: the provider did not report all of the usage, so the rest was counted or estimated; the rates are those of the rate card.";
        default:
          return event.usage_source satisfies never;
      }
    case "priced":
      return event.usage_source === "none"
        ? "Nothing was used: the provider refused the call, or never heard of it, so nothing is owed."
        : "Priced from the usage that the provider reported, at the rates of this rate card.";
    default:
      return event.cost_basis satisfies never;
  }
}

/** Exact, without trailing zeros. */
function toDecimal(scaled: bigint): string {
  const size = scaled < 0n ? -scaled : scaled;
  const fraction = String(size % RATE_SCALE)
    .padStart(String(RATE_SCALE).length - 1, "0")
    .replace(/0+$/, "");
  const text = fraction === "" ? String(size / RATE_SCALE) : `${size / RATE_SCALE}.${fraction}`;
  return scaled < 0n ? `-${text}` : text;
}

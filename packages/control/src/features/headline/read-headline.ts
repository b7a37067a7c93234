import { toEnvelope } from "@tollgate/core/contract/fields/envelope";
import type { headlineResource, tones } from "@tollgate/core/contract/loop-views";
import type { HistoryWindow } from "@tollgate/core/limits/history-window";
import { estimatedMicroDollars, microDollars } from "@tollgate/core/money/micro-dollars";
import { verifiedSavings } from "@tollgate/core/verification/verified-savings";
import type { z } from "zod";
import type { Context } from "../../kernel/context.ts";
import { toPeriod } from "../../kernel/to-period.ts";
import { backedCalls } from "./backed-calls.ts";
import { type Effect, readEffects } from "./read-effects.ts";

export type Headline = z.infer<typeof headlineResource>;
type Figure = Headline["measured_spend"];
type Tone = (typeof tones)[number];

type Asker = Pick<Context, "db" | "scope" | "readModel" | "now">;

/** What was spent and saved within a window. Verified savings are a part of the attributed ones. */
export async function readHeadline(context: Asker, window: HistoryWindow): Promise<Headline> {
  const { readModel, scope } = context;
  const [{ totals }, effects, throughMs] = await Promise.all([
    readModel.usage(scope, window),
    readEffects(context, window),
    readModel.followedUntil(context.now()),
  ]);
  const count = (value: number) => toEnvelope({ method: "count", value }, throughMs);
  return {
    period: toPeriod(window),
    measured_spend: {
      amount: toEnvelope({ method: "sum", value: microDollars(totals.cost_microcents) }, throughMs),
      basis: "The cost of all calls of the period, those of verifications included",
      provenance: {
        source: "The ledger, with the adjustments of reratings",
        calls: count(totals.calls),
        left_out_calls: count(totals.unpriced_calls),
      },
      tone: totals.calls === 0 || totals.unpriced_calls > 0 ? "unknown" : "neutral",
    },
    attributed_savings: attributed(effects, throughMs, count),
    verified_savings: await verified(context, effects, throughMs, count),
  };
}

type Count = (value: number) => Figure["amount"];

function attributed(effects: readonly Effect[], throughMs: number, count: Count): Figure {
  const calls = sum(effects, effect => effect.calls);
  const priced = sum(effects, effect => effect.pricedCalls);
  const saved = sum(effects, effect => effect.savedMicrocents);
  const isUnknown = calls > 0 && priced === 0;
  return {
    amount: toEnvelope({ method: "sum", value: isUnknown ? null : microDollars(saved) }, throughMs),
    basis:
      "What calls that an optimization changed would have cost with the requested model, minus what they cost",
    provenance: {
      source: "Applied optimizations and the ledger, for the hours that begin within the period",
      calls: count(priced),
      left_out_calls: count(calls - priced),
    },
    tone: isUnknown ? "unknown" : toneOf(saved),
  };
}

async function verified(
  context: Asker,
  effects: readonly Effect[],
  throughMs: number,
  count: Count,
): Promise<Figure> {
  const { backed, unknownCalls } = await backedCalls(context, effects);
  const savings = verifiedSavings(backed);
  const isUnknown = backed.length === 0 && unknownCalls > 0;
  const { value, interval } = estimatedMicroDollars(savings.microcents, savings.interval);
  return {
    amount: toEnvelope({ method: "paired_t", value: isUnknown ? null : value, interval }, throughMs),
    basis:
      "The part of these savings that a valid verdict confirms: the saving per call that it measured, times the switched calls, but at most what they saved",
    provenance: {
      source: "The costs of the answers that were compared, and the calls that were switched",
      calls: count(sum(backed, ({ effects: its }) => sum(its, effect => effect.calls))),
      left_out_calls: count(unknownCalls),
    },
    tone: isUnknown ? "unknown" : toneOf(savings.microcents),
  };
}

function toneOf(saved: number): Tone {
  if (saved === 0) return "neutral";
  return saved > 0 ? "good" : "bad";
}

function sum<One>(all: readonly One[], of: (one: One) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}

import { type BudgetFlags, withheldFlag } from "@tollgate/core/budgets/flags";
import type { Event } from "@tollgate/core/event";
import { outputBound } from "@tollgate/core/models/output-bound";
import { type Microcents, microcents } from "@tollgate/core/money/money";
import type { Catalogue } from "@tollgate/core/pricing/catalogue";
import { tokensWritten, unseenTokens } from "@tollgate/core/pricing/estimate";
import { spanIdOf, traceIdOf } from "@tollgate/core/wire/traceparent";
import { emptyReading } from "@tollgate/providers/meter";
import { thinksUnseen } from "@tollgate/providers/thinks-unseen";
import type { Intent } from "@tollgate/storage/ledger/intent";
import type { Ledger } from "@tollgate/storage/ledger/ledger";
import type { Settlement } from "@tollgate/storage/ledger/settling";
import { type HiddenOutput, priceReading } from "../pricing/price-reading.ts";
import type { AnswerPace } from "./answer-pace.ts";

const BATCH = 500;

/**
 * Runs before the first call is accepted: every call that was sent and never settled becomes one `interrupted` event at
 * the estimate. A crash in here repeats nothing: an intent whose event exists is not open.
 */
export async function recover(
  ledger: Ledger,
  prices: { of(orgId: string): Catalogue },
  pace: AnswerPace,
  nowMs: number,
): Promise<number> {
  const open = ledger.openIntents();
  for (let from = 0; from < open.length; from += BATCH) {
    await ledger.append(
      open
        .slice(from, from + BATCH)
        .map(intent => interrupted(intent, prices.of(intent.org_id), pace, nowMs)),
    );
  }
  ledger.forgetIntents();
  return open.length;
}

function interrupted(intent: Intent, catalogue: Catalogue, pace: AnswerPace, nowMs: number): Settlement {
  const {
    prompt_bytes,
    prompt_media_tokens = 0,
    prompt_audio_tokens = 0,
    prompt_cache_write = null,
    max_output_tokens: _maxOutputTokens,
    choices: _choices,
    thinks: _thinks,
    worst_microcents: _worstMicrocents,
    strict_budgets: _strictBudgets,
    budget_flags: _budgetFlags,
    traceparent,
    asked_service,
    ...known
  } = intent;
  const priced = priceReading(
    {
      provider: intent.provider,
      model: intent.model,
      createdAtMs: intent.created_at,
      prompt: {
        bytes: prompt_bytes,
        mediaTokens: prompt_media_tokens,
        audioTokens: prompt_audio_tokens,
        cacheWrite: prompt_cache_write,
      },
      ending: "cut",
      asked: asked_service ?? null,
      hidden: unseenOutput(intent, pace, nowMs),
      outputBound: boundOf(intent),
    },
    emptyReading(),
    catalogue,
  );
  const event: Event = {
    ...known,
    external_id: null,
    key_id: intent.key_id ?? null,
    source: intent.source ?? "gateway",
    pair: intent.pair ?? null,
    config_version: intent.config_version ?? null,
    served_model: null,
    status: "interrupted",
    http_status: null,
    error_code: "interrupted",
    latency_ms: Math.max(0, Math.round(nowMs - intent.created_at)),
    ttft_ms: null,
    ...priced.fields,
    service_tier: null,
    response_id: null,
    experiment_id: intent.experiment_id ?? null,
    arm: intent.arm ?? null,
    budget_flags: flagsOf(intent, priced.fields.cost_microcents),
    trace_id: traceparent === undefined ? null : traceIdOf(traceparent),
    span_id: traceparent === undefined ? null : spanIdOf(traceparent),
    instrumentation: null,
  };
  return { event, cards: priced.cards };
}

function flagsOf(
  { budget_flags, worst_microcents = 0, strict_budgets = [] }: Intent,
  cost: Microcents,
): BudgetFlags {
  const rest = microcents(Math.max(0, worst_microcents - cost));
  const withheld =
    rest > 0 ? strict_budgets.map(({ id, since }) => withheldFlag({ id, sinceMs: since }, rest)) : [];
  const flags = [...(budget_flags ?? []), ...withheld];
  return flags.length === 0 ? null : flags;
}

/** The end of the call is unknown: a provider may continue after its client disconnects, but not forever. */
const MAX_RUN_MS = 60_000;

function unseenOutput(intent: Intent, pace: AnswerPace, nowMs: number): HiddenOutput | null {
  if (intent.endpoint === "/v1/embeddings") return null;
  const { org_id, provider, model } = intent;
  const choices = intent.choices ?? 1;
  const bound = boundOf(intent);
  const unseen = unseenTokens(bound, choices);
  const thinks = intent.thinks === true || thinksUnseen(provider, model, {});
  if (!thinks) return { kind: "output", tokens: unseen };
  const ranMs = Math.min(nowMs - intent.created_at, MAX_RUN_MS);
  const written = tokensWritten(ranMs, pace.tokensPerSecond(org_id, provider, model) * choices, bound);
  return { kind: "reasoning", tokens: Math.max(unseen, written) };
}

function boundOf({ provider, model, max_output_tokens, choices }: Intent): number {
  return outputBound(provider, model, max_output_tokens, choices ?? 1);
}

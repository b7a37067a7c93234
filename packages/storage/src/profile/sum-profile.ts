import type { Usage } from "@tollgate/core/money/usage";
import {
  GROWN_FACTOR,
  GROWN_TOKENS,
  roomyInput,
  SHORT_OUTPUT_TOKENS,
} from "@tollgate/core/profile/call-marks";
import { startOfDay } from "@tollgate/core/time/start-of-day";
import { outputBucketOf, outputColumns } from "../database/output-histogram.ts";
import { peakColumns, type SumColumn, sumColumns } from "../database/profile-columns.ts";
import type { Value } from "../database/upsert-rows.ts";
import { KeyedRows } from "../engine/keyed-rows.ts";
import type { ProfiledEvent } from "../ledger/event-parts.ts";
import { isError } from "../ledger/status-codes.ts";
import type { PromptMarks } from "./recent-prompts.ts";

/** An event with everything that the profile needs to know about it. */
export interface ProfiledCall {
  readonly event: ProfiledEvent;
  readonly scope: number;
  readonly agent: number;
  readonly model: number;
  readonly usage: Usage;
  readonly marks: PromptMarks;
  /** null: not in a session, or nothing was sent. `isFirst`: the agent's first call in the session. */
  readonly session: { readonly firstInputTokens: number; readonly isFirst: boolean } | null;
  readonly contextWindow: number | null;
}

/** Tokens by their relation to a cache. */
interface InputParts {
  readonly uncached: number;
  readonly read: number;
  readonly write: number;
  readonly write1h: number;
}

export type ProfileKey = readonly [scope: number, day: number, agent: number, model: number];

type Row = { [column in SumColumn]: number } & {
  readonly key: ProfileKey;
  readonly outputs: number[];
  maxInput: number;
  maxOutput: number;
};

/** In the order of `rows`. */
export const profileRowColumns = [
  "scope",
  "day",
  "agent",
  "model",
  ...sumColumns,
  ...peakColumns,
  ...outputColumns,
];

/** Sums of a batch by day, agent and model. */
export class ProfileSumsOfDays {
  readonly #rows = new KeyedRows(emptyRow);

  add(call: ProfiledCall): void {
    const { event, marks } = call;
    const row = this.#rows.row(call.scope, startOfDay(event.created_at), call.agent, call.model);
    const parts = inputParts(event.input_tokens, call.usage);
    const cost = event.cost_microcents;
    row.calls++;
    row.input_tokens += event.input_tokens;
    row.uncached_input_tokens += parts.uncached;
    row.cache_read_tokens += parts.read;
    row.cache_write_tokens += parts.write;
    row.cache_write_1h_tokens += parts.write1h;
    row.output_tokens += event.output_tokens;
    row.cost_microcents += cost;
    row.maxInput = Math.max(row.maxInput, event.input_tokens);
    row.maxOutput = Math.max(row.maxOutput, event.output_tokens);
    if (isError(event.status)) {
      row.errors++;
      row.error_cost_microcents += cost;
    }
    if (marks.isRetry) {
      row.retry_calls++;
      row.retry_cost_microcents += cost;
    }
    if (marks.isRepeat) {
      row.repeat_calls++;
      row.repeat_input_tokens += event.input_tokens;
      row.repeat_cost_microcents += cost;
    }
    if (event.status === "success") addAnswer(row, event, parts);
    addCacheable(row, marks);
    addContext(row, call, parts);
  }

  keys(): readonly ProfileKey[] {
    return this.#rows.sorted().map(({ key }) => key);
  }

  rows(): Value[][] {
    return this.#rows
      .sorted()
      .map(row => [
        ...row.key,
        ...sumColumns.map(column => row[column]),
        row.maxInput,
        row.maxOutput,
        ...row.outputs,
      ]);
  }
}

/** The parts of an ingested call may not add up; its total is authoritative. */
export function inputParts(inputTokens: number, usage: Usage): InputParts {
  const read = (usage.cache_read ?? 0) + (usage.cache_read_audio ?? 0) + (usage.cache_read_image ?? 0);
  const write = usage.cache_write ?? 0;
  const write1h = usage.cache_write_1h ?? 0;
  return { uncached: Math.max(0, inputTokens - read - write - write1h), read, write, write1h };
}

function addAnswer(row: Row, event: ProfiledEvent, parts: InputParts): void {
  const { output_tokens: output } = event;
  const bucket = outputBucketOf(output);
  row.outputs[bucket] = (row.outputs[bucket] ?? 0) + 1;
  // Zero output means a call that generates none: embeddings.
  if (output === 0 || output >= SHORT_OUTPUT_TOKENS) return;
  row.short_calls++;
  row.short_uncached_input_tokens += parts.uncached;
  row.short_cache_read_tokens += parts.read;
  row.short_cache_write_tokens += parts.write;
  row.short_cache_write_1h_tokens += parts.write1h;
  row.short_output_tokens += output;
  row.short_cost_microcents += event.cost_microcents;
}

function addCacheable(row: Row, { cacheable }: PromptMarks): void {
  if (cacheable === null) return;
  row.cacheable_calls++;
  row.cacheable_tokens += cacheable.tokens;
  if (cacheable.isFirst) row.cacheable_start_tokens += cacheable.tokens;
  if (!cacheable.isWithin5m) return;
  row.cacheable_5m_calls++;
  row.cacheable_5m_tokens += cacheable.tokens;
  if (cacheable.isFirstOf5m) row.cacheable_5m_start_tokens += cacheable.tokens;
}

function addContext(row: Row, { event, session, contextWindow }: ProfiledCall, parts: InputParts): void {
  const input = event.input_tokens;
  if (contextWindow !== null) {
    const beyond = input - roomyInput(contextWindow);
    if (beyond > 0) {
      row.oversized_calls++;
      row.oversized_tokens += Math.min(beyond, input - parts.read);
    }
  }
  if (session === null) return;
  if (session.isFirst) {
    row.sessions++;
    row.session_first_tokens += input;
    return;
  }
  row.session_later_calls++;
  row.session_later_tokens += input;
  const grown = input - session.firstInputTokens;
  if (grown < GROWN_TOKENS || input < GROWN_FACTOR * session.firstInputTokens) return;
  row.grown_calls++;
  row.grown_tokens += Math.min(grown, input - parts.read);
}

// Object.fromEntries loses the key type; all keys are present.
const noSums = Object.fromEntries(sumColumns.map(column => [column, 0])) as { [column in SumColumn]: number };

function emptyRow(...key: Row["key"]): Row {
  return {
    ...noSums,
    key,
    outputs: new Array<number>(outputColumns.length).fill(0),
    maxInput: 0,
    maxOutput: 0,
  };
}

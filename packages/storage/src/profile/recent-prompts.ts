import {
  CACHE_MS,
  CACHEABLE_TOKENS,
  LONG_CACHE_MS,
  REPEATED_WITHIN_MS,
  RETRIED_WITHIN_MS,
} from "@tollgate/core/profile/call-marks";
import type { ProfiledEvent } from "../ledger/event-parts.ts";
import { isError } from "../ledger/status-codes.ts";
import { RecentEntries } from "./recent-entries.ts";

/** How an event relates to earlier ones. */
export interface PromptMarks {
  readonly isRetry: boolean;
  readonly isRepeat: boolean;
  /** null: a cache would have held nothing of it. */
  readonly cacheable: CacheableMark | null;
}

interface CacheableMark {
  /** What it shares with the previous prompt. */
  readonly tokens: number;
  /** The previous one would have been the first cache write. */
  readonly isFirst: boolean;
  readonly isWithin5m: boolean;
  readonly isFirstOf5m: boolean;
}

interface SeenRequest {
  readonly seq: number;
  readonly succeededAt: number;
  readonly succeededSeq: number;
  readonly failedUntil: number;
  readonly failedSeq: number;
}

interface SeenPrefix {
  readonly seq: number;
  readonly at: number;
  readonly inputTokens: number;
  /** A cache would contain it, or does: the next prompt has nothing to write. */
  readonly isHeld: boolean;
  readonly isHeld5m: boolean;
}

/** How many events back a prompt is remembered, besides the hour: bounds the memory and the replay at startup. */
const REACH_EVENTS = 100_000;

/**
 * The prompts of the last hour, by hash. Its result for an event depends only on the previous `2 × reach` events: an
 * instance that was fed just those gives the same result as one that has always run.
 */
export class RecentPrompts {
  readonly #requests: RecentEntries<SeenRequest>;
  readonly #prefixes: RecentEntries<SeenPrefix>;

  constructor(private readonly reach: number = REACH_EVENTS) {
    this.#requests = new RecentEntries(reach);
    this.#prefixes = new RecentEntries(reach);
  }

  /** How many events before the next one must be replayed. */
  get lookback(): number {
    return 2 * this.reach;
  }

  get size(): number {
    return this.#requests.size + this.#prefixes.size;
  }

  observe(event: ProfiledEvent, hasUsedCache: boolean): PromptMarks {
    const { agent_key: agent, seq } = event;
    // Hashes are salted per organization, so the organization need not be in the key.
    const request = event.request_hash === null ? null : inMode(event, event.request_hash);
    const seen = request === null ? undefined : this.#requests.get(agent, request, seq);
    const sinceSuccess = seen ? event.created_at - seen.succeededAt : Number.POSITIVE_INFINITY;
    const isAgain =
      seen !== undefined && sinceSuccess <= REPEATED_WITHIN_MS && seq - seen.succeededSeq <= this.reach;
    const sinceFailure = seen ? event.created_at - seen.failedUntil : -1;
    const isRetry =
      seen !== undefined &&
      sinceFailure >= 0 &&
      sinceFailure <= RETRIED_WITHIN_MS &&
      seq - seen.failedSeq <= this.reach;
    const cacheable = event.input_tokens > 0 ? this.#prefix(event, isAgain, hasUsedCache) : null;
    if (request !== null) this.#keepRequest(request, seen, event);
    return { isRetry, isRepeat: isAgain && event.status === "success", cacheable };
  }

  #keepRequest(key: string, seen: SeenRequest | undefined, event: ProfiledEvent): void {
    const before = seen ?? { succeededAt: NEVER, succeededSeq: 0, failedUntil: NEVER, failedSeq: 0 };
    const kept = { ...before, seq: event.seq };
    if (event.status === "success") {
      this.#requests.set(event.agent_key, key, {
        ...kept,
        succeededAt: event.created_at,
        succeededSeq: event.seq,
      });
    } else if (isError(event.status)) {
      const failedUntil = event.created_at + event.latency_ms;
      this.#requests.set(event.agent_key, key, { ...kept, failedUntil, failedSeq: event.seq });
    }
  }

  /** A cache belongs to a model. A prompt without its own prefix can only be repeated as a whole. */
  #prefix(event: ProfiledEvent, isAgain: boolean, hasUsedCache: boolean): CacheableMark | null {
    const hash = event.prefix_hash ?? event.request_hash;
    if (hash === null) return null;
    const key = inMode(event, `${hash} ${event.provider} ${event.model}`);
    const seen = this.#prefixes.get(event.agent_key, key, event.seq);
    const gap = seen ? event.created_at - seen.at : Number.POSITIVE_INFINITY;
    const common =
      seen === undefined || isAgain ? event.input_tokens : Math.min(event.input_tokens, seen.inputTokens);
    const isLong = common >= CACHEABLE_TOKENS;
    const isWithin = seen !== undefined && isLong && gap <= LONG_CACHE_MS;
    const isWithin5m = isWithin && gap <= CACHE_MS;
    this.#prefixes.set(event.agent_key, key, {
      seq: event.seq,
      at: event.created_at,
      inputTokens: event.input_tokens,
      isHeld: hasUsedCache || isWithin,
      isHeld5m: hasUsedCache || isWithin5m,
    });
    if (!isWithin || hasUsedCache) return null;
    return {
      tokens: common,
      isFirst: !seen.isHeld,
      isWithin5m,
      isFirstOf5m: isWithin5m && !seen.isHeld5m,
    };
  }
}

/** Almost all calls are live: their keys are not copied. */
function inMode({ mode }: ProfiledEvent, key: string): string {
  return mode === "live" ? key : `${mode} ${key}`;
}

const NEVER = Number.NEGATIVE_INFINITY;

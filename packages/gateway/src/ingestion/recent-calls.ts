import type { Mode } from "@tollgate/core/event";
import type { IngestedCall } from "@tollgate/core/ingestion/call";
import {
  areTwins,
  CLOCK_SKEW_MS,
  type ComparedCall,
  distanceMs,
  isNamedBySpan,
  isTightFit,
  isWithinSpan,
  TWIN_WORK_MS,
} from "@tollgate/core/ingestion/same-call";
import { inputTokens, outputTokens } from "@tollgate/core/money/usage";
import type { EventFinder, LinkableCall } from "@tollgate/storage/ledger/find-events";
import { comparedEvent, comparedIngested } from "./compared-call.ts";
import { newEventsReader } from "./read-new-events.ts";

const REMEMBERED_CALLS = 100_000;

interface OwnedCall extends ComparedCall {
  /** Organization and mode. Keys are built from it on demand: storing a hundred thousand would take megabytes. */
  readonly owner: string;
}

/** An event that a span may report again. */
interface KnownCall extends OwnedCall {
  readonly id: string;
  readonly isOfGateway: boolean;
  /** Instrumentations that have linked a span; a second span of one of them is another call. */
  readonly linkedBy: string[];
  /** From telemetry: everything its spans reported, so that a third instrumentation finds it too. */
  responseId: string | null;
}

/** An existing event for a span. `instrumentation` is null if the call itself named the span. */
export interface Match {
  readonly eventId: string;
  readonly instrumentation: string | null;
}

/**
 * The newest calls of the ledger, indexed by what a span can report. Read only when telemetry arrives, so a gateway
 * without telemetry pays nothing. An event is added while it is still being written: two instrumentations usually
 * report a call in the same request.
 */
export class RecentCalls {
  /** In insertion order, so that the first is evicted next. */
  readonly #byId = new Map<string, KnownCall>();
  /** Each list is sorted by `endedAt`. */
  readonly #byTokens = new Map<string, KnownCall[]>();
  readonly #byTrace = new Map<string, KnownCall[]>();
  /** Of telemetry only; `SeenAnswers` has those of the gateway. */
  readonly #byAnswer = new Map<string, KnownCall[]>();
  /** Interned names that many calls share. */
  readonly #shared = new SharedTexts();
  readonly catchUp: () => Promise<void>;

  constructor(
    ledger: EventFinder,
    private readonly remembered = REMEMBERED_CALLS,
  ) {
    this.catchUp = newEventsReader(ledger, remembered, ledger.callsAfter, row => this.add(row));
  }

  add(row: LinkableCall, isRoot?: boolean): void {
    if (row.source === "ingest" || this.#byId.has(row.id)) return;
    const call = knownCall(row, isRoot, this.#shared);
    this.#byId.set(call.id, call);
    insert(this.#byTokens, tokensKeyOf(call), call);
    const answerKey = answerKeyOf(call);
    if (answerKey !== null) insert(this.#byAnswer, answerKey, call);
    const traceKey = traceKeyOf(call);
    if (traceKey !== null) insert(this.#byTrace, traceKey, call);
    if (this.#byId.size > this.remembered) {
      const [oldest] = this.#byId.keys();
      if (oldest !== undefined) this.forget(oldest);
    }
  }

  forget(id: string): void {
    const call = this.#byId.get(id);
    if (!call) return;
    this.#byId.delete(id);
    remove(this.#byTokens, tokensKeyOf(call), call);
    const traceKey = traceKeyOf(call);
    if (traceKey !== null) remove(this.#byTrace, traceKey, call);
    const answerKey = answerKeyOf(call);
    if (answerKey !== null) remove(this.#byAnswer, answerKey, call);
  }

  /** The call that a span reports. */
  find(orgId: string, mode: Mode, ingested: IngestedCall): Match | null {
    if (ingested.span === null) return null;
    const span = { ...comparedIngested(ingested), owner: ownerOf(orgId, mode), isOfGateway: false };
    const traced = this.#byTrace.get(traceKeyOf(span) ?? "") ?? [];
    const named = traced.find(call => call.isOfGateway && isNamedBySpan(span, call));
    if (named) return { eventId: named.id, instrumentation: null };
    const { instrumentation } = ingested.span;
    const keys = new Set([tokensKeyOf(span), unknownTokensKeyOf(span)]);
    const nearest =
      nearestOf(
        span,
        instrumentation,
        traced,
        ...[...keys].map(key => inSpan(span, this.#byTokens.get(key))),
      ) ?? nearestOf(span, instrumentation, this.#byAnswer.get(answerKeyOf(span) ?? "") ?? []);
    return nearest === null ? null : { eventId: nearest.id, instrumentation };
  }

  /** Links the span: the call accepts no other span of this instrumentation. */
  link({ eventId, instrumentation }: Match, ingested: IngestedCall): void {
    const call = this.#byId.get(eventId);
    if (!call || instrumentation === null) return;
    call.linkedBy.push(instrumentation);
    if (call.responseId !== null) return;
    call.responseId = comparedIngested(ingested).responseId;
    const answerKey = answerKeyOf(call);
    if (answerKey !== null) insert(this.#byAnswer, answerKey, call);
  }

  /** Undoes `link` when the link could not be recorded. */
  unlink({ eventId, instrumentation }: Match): void {
    const linkedBy = this.#byId.get(eventId)?.linkedBy;
    const at = linkedBy && instrumentation !== null ? linkedBy.indexOf(instrumentation) : -1;
    if (at !== -1) linkedBy?.splice(at, 1);
  }
}

function knownCall(row: LinkableCall, isRoot: boolean | undefined, shared: SharedTexts): KnownCall {
  const call = comparedEvent(row, isRoot);
  return {
    ...call,
    id: row.id,
    isOfGateway: row.source === "gateway",
    owner: shared.get(ownerOf(row.org_id, row.mode)),
    models: call.models.map(name => shared.get(name)),
    agentKey: shared.getAny(call.agentKey),
    sessionId: shared.getAny(call.sessionId),
    customerId: shared.getAny(call.customerId),
    linkedBy: row.instrumentation === null ? [...row.linkedBy] : [row.instrumentation, ...row.linkedBy],
  };
}

function nearestOf(
  span: ComparedCall,
  instrumentation: string,
  ...lists: readonly Iterable<KnownCall>[]
): KnownCall | null {
  let nearest: KnownCall | null = null;
  let isOnlyOne = true;
  for (const list of lists) {
    for (const call of list) {
      if (call === nearest || call.linkedBy.includes(instrumentation)) continue;
      if (!(call.isOfGateway ? isWithinSpan(span, call) : areTwins(span, call))) continue;
      if (nearest !== null) isOnlyOne = false;
      if (nearest === null || distanceMs(span, call) < distanceMs(span, nearest)) nearest = call;
    }
  }
  if (nearest === null) return null;
  // A span that states neither tokens nor a cost adds none, whichever call it is: a client that gives up after several
  // attempts has one.
  return isOnlyOne || (span.usage === null && !span.statesCost) || isTightFit(span, nearest) ? nearest : null;
}

/** Calls from a list sorted by `endedAt` that may have ended within the span. */
function* inSpan(span: ComparedCall, calls: readonly KnownCall[] = []): Generator<KnownCall> {
  for (let at = firstEndingAt(calls, span.startedAtMs - CLOCK_SKEW_MS); at < calls.length; at++) {
    const call = calls[at];
    // Another instrumentation may have ended its span a little later.
    if (call === undefined || call.endedAtMs > span.endedAtMs + TWIN_WORK_MS) return;
    yield call;
  }
}

function firstEndingAt(calls: readonly KnownCall[], time: number): number {
  let low = 0;
  let high = calls.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((calls[middle]?.endedAtMs ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function insert(lists: Map<string, KnownCall[]>, key: string, call: KnownCall): void {
  const list = lists.get(key);
  if (!list) {
    lists.set(key, [call]);
    return;
  }
  const last = list.at(-1);
  if (last === undefined || last.endedAtMs <= call.endedAtMs) list.push(call);
  else list.splice(firstEndingAt(list, call.endedAtMs), 0, call);
}

function remove(lists: Map<string, KnownCall[]>, key: string, call: KnownCall): void {
  const list = lists.get(key);
  const at = list?.indexOf(call) ?? -1;
  if (at !== -1) list?.splice(at, 1);
  if (list?.length === 0) lists.delete(key);
}

/** Clients never see estimated tokens. */
function tokensKeyOf(call: OwnedCall): string {
  const { owner, usage, isEstimated } = call;
  if (usage === null || isEstimated) return unknownTokensKeyOf(call);
  return `${owner}\n${inputTokens(usage)} ${outputTokens(usage)}`;
}

function unknownTokensKeyOf({ owner }: OwnedCall): string {
  return owner;
}

function traceKeyOf({ owner, traceId }: OwnedCall): string | null {
  return traceId === null ? null : `${owner}\n${traceId}`;
}

function answerKeyOf({
  owner,
  responseId,
  isOfGateway,
}: OwnedCall & { isOfGateway: boolean }): string | null {
  return responseId === null || isOfGateway ? null : `${owner}\n${responseId}`;
}

function ownerOf(orgId: string, mode: Mode): string {
  return `${orgId}\n${mode}`;
}

/** Interns texts. Cleared occasionally, because clients choose the names and there may be no end of them. */
class SharedTexts {
  readonly #texts = new Map<string, string>();

  getAny(text: string | null): string | null {
    return text === null ? null : this.get(text);
  }

  get(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    if (this.#texts.size >= 10_000) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  }
}

import type { TaskCategory } from "@tollgate/core/event";
import { HOUR_MS } from "@tollgate/core/time/durations";
import { graders } from "@tollgate/core/verification/grading/grade";
import { fromRow } from "@tollgate/storage/database/from-row";
import { listOfTexts } from "@tollgate/storage/database/list-of";
import type { ControlDatabase } from "@tollgate/storage/database/open-control-database";
import type { ControlDb, ControlTransaction } from "@tollgate/storage/database/schema";
import type { Applied, Batch, Consumer } from "@tollgate/storage/following/consumer";
import { Follower, type FollowerOptions } from "@tollgate/storage/following/follower";
import type { LedgerRepair } from "@tollgate/storage/following/ledger-continuity";
import { StoredCursor } from "@tollgate/storage/following/stored-cursor";
import type { PairEvent, ProductionEvent } from "@tollgate/storage/ledger/event-parts";
import { LEDGER_START } from "@tollgate/storage/ledger/ledger-position";
import type { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import type { Control } from "../../kernel/context.ts";
import type { NewPair, PairCall } from "./pair-row.ts";
import { evidenceSoFar, type OpenPair, type Progress, readProgress, writeProgress } from "./progress.ts";
import { isOpen, openStatuses, type RequestRow } from "./request-row.ts";
import { settleTrial } from "./settle-trial.ts";
import { TrialEvidence } from "./trial-evidence.ts";

export const PAIRS_CURSOR = "verification:events";

/** Calls in flight when a request ended still cost money. No call takes this long. */
const AFTERMATH_MS = HOUR_MS;

/** A pair that is not graded by then never will be: the gateway's own limit is two minutes. */
const LONGEST_PAIR_MS = 600_000;

/** Trials kept in memory; computing one again takes milliseconds. */
const MAX_CACHED_TRIALS = 100;

type Parts = Pick<Control, "newId" | "now" | "catalogue">;

/** Recounts open requests. Ended ones keep their result: the verdict was shown and charged. */
export const pairRepair: LedgerRepair = {
  reader: PAIRS_CURSOR,
  async restart(db) {
    const open = db
      .selectFrom("verification_requests")
      .select("id")
      .where("status", "in", openStatuses)
      // Captured pairs are not in the ledger, and clients do not send them again.
      .where("evidence_mode", "=", "shadow");
    for (const table of ["verification_pairs", "verification_progress"] as const) {
      await db.deleteFrom(table).where("request_id", "in", open).execute();
    }
    return LEDGER_START;
  },
};

export type PairFollower = Follower<readonly PairEvent[], ControlTransaction>;

export function followPairs(
  database: ControlDatabase,
  ledger: LedgerReader,
  parts: Parts,
  options: FollowerOptions = {},
): PairFollower {
  const cursor = new StoredCursor(database, PAIRS_CURSOR, async () => LEDGER_START);
  return new Follower(ledger, cursor, new PairConsumer(database, ledger, parts), options);
}

/**
 * Counts the graded pairs of verifications, each once and in ledger order, and evaluates the trial after each. The
 * pairs, a resulting verdict and its charge are committed together with the cursor: after a crash, either all of it is
 * stored or nothing.
 */
class PairConsumer implements Consumer<readonly PairEvent[], ControlTransaction> {
  readonly repair = pairRepair;
  readonly batchSize = 2000;
  readonly pollMs = 20;
  /** For requests that are collecting. */
  readonly #evidence = new Map<string, TrialEvidence>();

  constructor(
    private readonly database: ControlDatabase,
    private readonly ledger: LedgerReader,
    private readonly parts: Parts,
  ) {}

  /** A request that begins later has no calls so far. */
  async hasWork(): Promise<boolean> {
    const row = await this.database.db
      .selectFrom("verification_requests")
      .select("id")
      .where("evidence_mode", "=", "shadow")
      .where(({ or, eb }) =>
        or([eb("status", "in", openStatuses), eb("ended_at", ">", this.parts.now() - AFTERMATH_MS)]),
      )
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  read(after: number, upTo: number): PairEvent[] {
    return this.ledger.pairEventsBetween(after, upTo);
  }

  async apply({ events }: Batch<readonly PairEvent[]>, transaction: ControlTransaction): Promise<Applied> {
    if (events.length === 0) return { isEmpty: true };
    const byRequest = Map.groupBy(events, ({ pair }) => pair.request_id);
    const requests = await this.#lockRequests(transaction, [...byRequest.keys()]);
    for (const request of requests) {
      const own = (byRequest.get(request.id) ?? []).filter(
        ({ org_id, mode }) => org_id === request.org_id && mode === request.mode,
      );
      await this.#count(transaction, request, own);
    }
    return {};
  }

  forget(): void {
    this.#evidence.clear();
  }

  /** Sorted by id, so that two processes lock them in the same order. */
  async #lockRequests(transaction: ControlDb, ids: readonly string[]): Promise<RequestRow[]> {
    const { engine } = this.database;
    const query = transaction
      .selectFrom("verification_requests")
      .selectAll()
      .where("id", "in", listOfTexts(engine, ids))
      .orderBy("id");
    const rows = await (engine === "postgres" ? query.forUpdate() : query).execute();
    return rows.map(row => fromRow("verification_requests", row));
  }

  async #count(transaction: ControlDb, request: RequestRow, events: readonly PairEvent[]): Promise<void> {
    const before = await readProgress(transaction, request.id);
    // After the ledger lost events it is read from the start, and the sums of requests that have ended were kept.
    const fresh = events.filter(({ seq }) => seq > before.state.seq);
    const last = fresh.at(-1);
    if (last === undefined) return;
    const { open, graded } = gradedPairs(before.state.open, fresh, this.#productionOf(fresh));
    const { unpriced_calls: unpricedBefore } = before.state;
    const unpriced = fresh.filter(({ cost_basis }) => cost_basis === "unpriced").length;
    const counted: Progress = {
      ...before,
      spentMicrocents: fresh.reduce((sum, event) => sum + event.cost_microcents, before.spentMicrocents),
      state: {
        ...before.state,
        seq: last.seq,
        unpriced_calls: unpricedBefore === null ? null : unpricedBefore + unpriced,
        open,
      },
    };
    await writeProgress(
      transaction,
      request.id,
      await this.#look(transaction, request, counted, graded),
      this.parts.now(),
    );
  }

  /** Adds the pairs, and ends the request if that ends its trial. */
  async #look(
    transaction: ControlDb,
    request: RequestRow,
    progress: Progress,
    graded: readonly NewPair[],
  ): Promise<Progress> {
    if (graded.length === 0) return progress;
    const evidence = this.#evidence.get(request.id) ?? (await TrialEvidence.load(transaction, request.id));
    for (const pair of graded) evidence.add(pair);
    await evidence.write(transaction, request.id);
    if (!isOpen(request)) {
      // Stored with the other pairs, but does not count.
      this.#evidence.delete(request.id);
      return progress;
    }
    const isSettled = await settleTrial(
      transaction,
      { ...this.parts, engine: this.database.engine },
      request,
      evidence,
      { at: this.parts.now(), exhausted: "max_pairs" },
    );
    // Some may belong to requests that ended without a further pair.
    if (this.#evidence.size >= MAX_CACHED_TRIALS) this.#evidence.clear();
    if (isSettled) this.#evidence.delete(request.id);
    else this.#evidence.set(request.id, evidence);
    const { pairs, controls, score, data_through } = evidenceSoFar(evidence);
    return { ...progress, pairs, controls, state: { ...progress.state, score, data_through } };
  }

  #productionOf(events: readonly PairEvent[]): ReadonlyMap<string, ProductionEvent> {
    const ids = events.flatMap(({ pair }) => (pair.result === null ? [] : [pair.pair_id]));
    return new Map(this.ledger.productionEvents(ids).map(event => [event.id, event]));
  }
}

/**
 * The pairs that these events complete. A pair's calls are separate events: the second answer and up to two calls of a
 * judge; the last one has the grade. Incomplete pairs stay open.
 */
function gradedPairs(
  waiting: Readonly<Record<string, OpenPair>>,
  events: readonly PairEvent[],
  production: ReadonlyMap<string, ProductionEvent>,
): { readonly open: Record<string, OpenPair>; readonly graded: readonly NewPair[] } {
  const open = new Map(Object.entries(waiting));
  const graded: NewPair[] = [];
  for (const event of events) {
    const { pair, source } = event;
    const known = open.get(pair.pair_id) ?? { at: event.created_at, second: null, judge_microcents: 0 };
    const current: OpenPair = {
      ...known,
      second: source === "shadow" ? toCall(event) : known.second,
      judge_microcents: known.judge_microcents + (source === "judge" ? event.cost_microcents : 0),
    };
    if (pair.result === null) {
      open.set(pair.pair_id, current);
      continue;
    }
    open.delete(pair.pair_id);
    const made = toPair(event, pair.result, current, production.get(pair.pair_id));
    if (made !== null) graded.push(made);
  }
  const newest = events.reduce((latest, { created_at }) => Math.max(latest, created_at), 0);
  for (const [id, { at }] of open) if (newest - at > LONGEST_PAIR_MS) open.delete(id);
  return { open: Object.fromEntries(open), graded };
}

/** null: the pair is void, because one of its calls is not in the ledger or its grade cannot be read. */
function toPair(
  event: PairEvent,
  result: { readonly score: number; readonly grader: string; readonly category: TaskCategory },
  { second, judge_microcents }: OpenPair,
  production: ProductionEvent | undefined,
): NewPair | null {
  const grader = graders.find(known => known === result.grader);
  const isScore = result.score >= -1 && result.score <= 1;
  if (production === undefined || second === null || grader === undefined || !isScore) return null;
  return {
    pair_id: event.pair.pair_id,
    kind: event.pair.kind,
    session_id: production.session_id,
    category: result.category,
    score: result.score,
    grader,
    prod: toCall(production),
    candidate: second,
    judge_microcents,
    created_at: event.created_at + event.latency_ms,
  };
}

function toCall(event: ProductionEvent): PairCall {
  return {
    status: event.status,
    cost_microcents: event.cost_basis === "unpriced" ? null : event.cost_microcents,
    latency_ms: event.latency_ms,
    input_tokens: event.input_tokens,
    output_tokens: event.output_tokens,
    served_model: event.served_model,
  };
}

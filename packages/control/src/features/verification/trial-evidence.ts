import type { TrialPlan } from "@tollgate/core/verification/trial-plan";
import { TrialSequence } from "@tollgate/core/verification/trial-sequence";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { insertPairs, type NewPair, readPairs, toTrialRow } from "./pair-row.ts";
import { readPlan } from "./register-trial.ts";

/**
 * A trial and its pairs so far. A trial's conclusion depends only on its plan and its pairs, so it is not stored but
 * recomputed from them, and cached in memory between two batches.
 */
export class TrialEvidence {
  readonly #added: { readonly pair: NewPair; readonly position: number; readonly isCounted: boolean }[] = [];
  readonly #ids = new Set<string>();
  #lastRecordedAtMs = 0;

  private constructor(
    readonly plan: TrialPlan,
    readonly trial: TrialSequence,
  ) {}

  static async load(db: ControlDb, requestId: string): Promise<TrialEvidence> {
    const plan = await readPlan(db, requestId);
    const evidence = new TrialEvidence(plan, new TrialSequence(plan));
    for (const pair of await readPairs(db, requestId)) evidence.#add(pair);
    return evidence;
  }

  /** The time of the last pair; null: there is none. */
  get dataThroughMs(): number | null {
    return this.#ids.size === 0 ? null : this.#lastRecordedAtMs;
  }

  /** Evaluates the pair immediately; `write` stores it. A known pair changes nothing. */
  add(pair: NewPair): "counted" | "uncounted" | "known" {
    if (this.#ids.has(pair.pair_id)) return "known";
    // A later pair may have been recorded with a slower clock.
    const recorded = { ...pair, created_at: Math.max(pair.created_at, this.#lastRecordedAtMs) };
    const isCounted = this.#add(recorded);
    this.#added.push({ pair: recorded, position: this.#ids.size, isCounted });
    return isCounted ? "counted" : "uncounted";
  }

  async write(transaction: ControlDb, requestId: string): Promise<void> {
    await insertPairs(transaction, requestId, this.#added);
    this.#added.length = 0;
  }

  #add(pair: NewPair): boolean {
    const { compared, controls } = this.trial;
    const before = compared.pairs + controls.pairs;
    this.trial.add(toTrialRow(pair));
    this.#ids.add(pair.pair_id);
    this.#lastRecordedAtMs = pair.created_at;
    return compared.pairs + controls.pairs > before;
  }
}

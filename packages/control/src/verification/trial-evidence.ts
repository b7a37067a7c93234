import type { TrialPlan } from "@tollgate/core/verification/trial-plan";
import { TrialSequence } from "@tollgate/core/verification/trial-sequence";
import type { ControlDb } from "@tollgate/storage/database/schema";
import { insertPairs, type NewPair, readPairs, toTrialRow } from "./pair-row.ts";
import { readPlan } from "./register-trial.ts";

/**
 * A trial and the pairs that it has seen. What a trial concludes follows from its plan and its pairs alone, so it is
 * never stored: it is computed again from them, and kept in memory between two batches.
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

  /** Of the last pair: when the data ends. null: there is none. */
  get dataThroughMs(): number | null {
    return this.#ids.size === 0 ? null : this.#lastRecordedAtMs;
  }

  /** The pair is looked at before the next one comes; it is a row after `write`. One that is known changes nothing. */
  add(pair: NewPair): "counted" | "uncounted" | "known" {
    if (this.#ids.has(pair.pair_id)) return "known";
    // A later pair may have been recorded by a clock that is behind.
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

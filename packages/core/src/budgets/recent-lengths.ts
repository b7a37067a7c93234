import type { Length } from "./estimate.ts";

const KEPT = 128;
/** Fewer answers show nothing about what is usual. */
const ENOUGH = 8;
const RECOMPUTED_AFTER = 8;

/** The lengths of the last answers for one agent and model. */
export class RecentLengths {
  readonly #counts: number[] = [];
  #next = 0;
  #sinceComputed = 0;
  #length: Length | null = null;

  add(outputTokens: number): void {
    if (this.#counts.length < KEPT) this.#counts.push(outputTokens);
    else this.#counts[this.#next] = outputTokens;
    this.#next = (this.#next + 1) % KEPT;
    this.#sinceComputed++;
  }

  /** null: too few answers. */
  get usual(): Length | null {
    if (this.#counts.length < ENOUGH) return null;
    if (this.#length === null || this.#sinceComputed >= RECOMPUTED_AFTER) {
      this.#sinceComputed = 0;
      this.#length = lengthOf(this.#counts);
    }
    return this.#length;
  }
}

function lengthOf(counts: readonly number[]): Length {
  let sum = 0;
  for (const count of counts) sum += count;
  const mean = sum / counts.length;
  let squares = 0;
  for (const count of counts) squares += (count - mean) ** 2;
  return { mean, spread: Math.sqrt(squares / (counts.length - 1)) };
}

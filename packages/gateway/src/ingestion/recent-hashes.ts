/** Entries per generation; between one and two generations are remembered. */
const GENERATION = 500_000;
const SLOTS = 1 << 20;

/**
 * Remembers a number for each of about the last 500,000 texts, as 64-bit hashes in 32 MB: two open-addressed tables, of
 * which the older is cleared when the younger is full. The seed is random per process, so colliding ids cannot be
 * precomputed.
 */
export class RecentHashes {
  #young = new Table();
  #old = new Table();
  #size = 0;
  readonly #seed = crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n;

  constructor(private readonly generation = GENERATION) {}

  /** The newest number of a text wins. */
  set(text: string, value: number): void {
    const hash = this.#hash(text);
    if (this.#size >= this.generation) {
      [this.#young, this.#old] = [this.#old, this.#young];
      this.#young.hashes.fill(0n);
      this.#size = 0;
    }
    const slot = slotOf(this.#young, hash);
    if (this.#young.hashes[slot] !== hash) this.#size++;
    this.#young.hashes[slot] = hash;
    this.#young.values[slot] = value;
  }

  get(text: string): number | null {
    const hash = this.#hash(text);
    for (const table of [this.#young, this.#old]) {
      const slot = slotOf(table, hash);
      if (table.hashes[slot] === hash) return table.values[slot] ?? null;
    }
    return null;
  }

  #hash(text: string): bigint {
    // 0 marks a free slot.
    return BigInt.asUintN(64, BigInt(Bun.hash.wyhash(text, this.#seed))) || 1n;
  }
}

class Table {
  readonly hashes = new BigUint64Array(SLOTS);
  readonly values = new Float64Array(SLOTS);
}

/** The slot of the hash, or the free slot where it belongs. The table is never more than half full. */
function slotOf({ hashes }: Table, hash: bigint): number {
  let slot = Number(hash & BigInt(SLOTS - 1));
  for (;;) {
    const found = hashes[slot];
    if (found === hash || found === 0n) return slot;
    slot = (slot + 1) & (SLOTS - 1);
  }
}

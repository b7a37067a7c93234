/** Entries of a generation; at most twice as many are remembered, and never fewer than one of the two. */
const GENERATION = 500_000;
const SLOTS = 1 << 20;

/**
 * Remembers about the last 500,000 texts as 64-bit hashes, in 16 MB: two open-addressed tables, of which the older
 * is emptied whenever the younger is full. The seed is this process's own, so nobody can look for two ids that
 * collide.
 */
export class RecentHashes {
  #young = new BigUint64Array(SLOTS);
  #old = new BigUint64Array(SLOTS);
  #size = 0;
  readonly #seed = crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n;

  constructor(private readonly generation = GENERATION) {}

  add(text: string): void {
    const hash = this.#hash(text);
    if (this.#size >= this.generation) {
      [this.#young, this.#old] = [this.#old, this.#young];
      this.#young.fill(0n);
      this.#size = 0;
    }
    const slot = slotOf(this.#young, hash);
    if (this.#young[slot] === hash) return;
    this.#young[slot] = hash;
    this.#size++;
  }

  has(text: string): boolean {
    const hash = this.#hash(text);
    return [this.#young, this.#old].some(table => table[slotOf(table, hash)] === hash);
  }

  #hash(text: string): bigint {
    // 0 marks a free slot.
    return BigInt.asUintN(64, BigInt(Bun.hash.wyhash(text, this.#seed))) || 1n;
  }
}

/** Where the hash stands, or the free slot where it would. The table is never more than half full. */
function slotOf(table: BigUint64Array, hash: bigint): number {
  let slot = Number(hash & BigInt(SLOTS - 1));
  for (;;) {
    const found = table[slot];
    if (found === hash || found === 0n) return slot;
    slot = (slot + 1) & (SLOTS - 1);
  }
}

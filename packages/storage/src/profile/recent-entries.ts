import { PairMap } from "../engine/pair-map.ts";

/** The newest first; each is for half of the reach, so that together they always include all of it. */
const GENERATIONS = 3;

/**
 * What was last seen under each pair of keys, within the last `reach` events. Nothing is ever deleted from a map, because
 * a map of a hundred thousand keys that loses one for each that it gains spends most of its time reorganizing itself.
 */
export class RecentEntries<Entry extends { readonly seq: number }> {
  #generations: readonly PairMap<string, string, Entry>[] = [new PairMap()];
  #newest = 0;

  constructor(private readonly reach: number) {}

  get size(): number {
    return this.#generations.reduce((sum, { size }) => sum + size, 0);
  }

  /** `seq` is of the event that asks. Events are passed in order. */
  get(owner: string, key: string, seq: number): Entry | undefined {
    this.#advance(seq);
    for (const generation of this.#generations) {
      const entry = generation.get(owner, key);
      if (entry !== undefined) return seq - entry.seq <= this.reach ? entry : undefined;
    }
    return undefined;
  }

  set(owner: string, key: string, entry: Entry): void {
    this.#advance(entry.seq);
    this.#generations[0]?.set(owner, key, entry);
  }

  #advance(seq: number): void {
    const current = Math.floor(seq / Math.ceil(this.reach / 2));
    const passed = Math.min(GENERATIONS, current - this.#newest);
    if (passed <= 0) return;
    const added = Array.from({ length: passed }, () => new PairMap<string, string, Entry>());
    this.#generations = [...added, ...this.#generations].slice(0, GENERATIONS);
    this.#newest = current;
  }
}

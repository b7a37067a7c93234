/** How long work may occupy the event loop without a break. */
const TURN_MS = 20;
/** The clock is read once per this many items. */
const ITEMS_PER_CLOCK_READ = 64;

/** SQLite calls never yield: without this, long work would block the event loop until it is done. */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}

/** Lets other work run after each time slice of long work. */
export class Turns {
  #beganAt = performance.now();

  /** null: the time slice is not over. */
  pause(): Promise<void> | null {
    return performance.now() - this.#beganAt < TURN_MS ? null : this.#pause();
  }

  async #pause(): Promise<void> {
    await nextTurn();
    this.#beganAt = performance.now();
  }
}

/** Like `map`, but lets other work run in between. */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const turns = new Turns();
  const results: Result[] = [];
  let index = 0;
  for (const item of items) {
    results.push(map(item, index));
    if (index++ % ITEMS_PER_CLOCK_READ === 0) await turns.pause();
  }
  return results;
}

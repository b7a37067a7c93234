/** How long work may occupy the event loop without a break. */
const TURN_MS = 20;
/** Between two looks at the clock. */
const ITEMS_A_LOOK = 64;

/** SQLite calls never yield: without this, long work would block the event loop until it is done. */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}

/** Gives other work a turn whenever this work has had its time. */
export class Turns {
  #beganAt = performance.now();

  /** null: it may go on at once. */
  pause(): Promise<void> | null {
    return performance.now() - this.#beganAt < TURN_MS ? null : this.#pause();
  }

  async #pause(): Promise<void> {
    await nextTurn();
    this.#beganAt = performance.now();
  }
}

/** Like `map`, with turns for other work. */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const turns = new Turns();
  const results: Result[] = [];
  for (const [index, item] of items.entries()) {
    results.push(map(item, index));
    if (index % ITEMS_A_LOOK === 0) await turns.pause();
  }
  return results;
}

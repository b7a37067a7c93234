/** How long work may occupy the event loop without a break. */
const TURN_MS = 20;
/** The clock is read once per this many items. */
const ITEMS_PER_CLOCK_READ = 64;

/**
 * When other work last had a turn. Shared by all long work: several steps, each shorter than a slice, would otherwise
 * block the event loop together.
 */
let otherWorkRanAt = performance.now();

/** SQLite calls never yield: without this, long work would block the event loop until it is done. */
export function nextTurn(): Promise<void> {
  return new Promise(resolve =>
    setImmediate(() => {
      otherWorkRanAt = performance.now();
      resolve();
    }),
  );
}

/** Between the steps of long work: lets other work run after each time slice. null: the slice is not over. */
export function pauseIfDue(): Promise<void> | null {
  return performance.now() - otherWorkRanAt < TURN_MS ? null : nextTurn();
}

/** Like `map`, but lets other work run in between. */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let index = 0;
  for (const item of items) {
    results.push(map(item, index));
    if (index++ % ITEMS_PER_CLOCK_READ === 0) await pauseIfDue();
  }
  await pauseIfDue();
  return results;
}

/** SQLite calls never yield: without this, long work would block the event loop until it is done. */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}

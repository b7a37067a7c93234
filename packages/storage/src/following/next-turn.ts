/** SQLite never waits for anything: without this, nothing else would run until a long piece of work is over. */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}

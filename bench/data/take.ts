/** The next items of an iterator, which stays open for the rest: `Iterator.prototype.take` would close it. */
export function* take<Item>(items: Iterator<Item>, count: number): Generator<Item> {
  for (let taken = 0; taken < count; taken++) {
    const { value, done } = items.next();
    if (done) return;
    yield value;
  }
}

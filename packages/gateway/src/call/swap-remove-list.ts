/** Its index in a list; -1: in none. */
export interface Indexed {
  index: number;
}

/**
 * An unordered list with O(1) add and remove, for calls in flight. A Set would keep ended calls alive: it rehashes every
 * few dozen calls, its old tables refer to the new ones, and a generational collector treats an old table as live.
 */
export class SwapRemoveList<One extends Indexed> {
  readonly #members: One[] = [];

  get size(): number {
    return this.#members.length;
  }

  add(one: One): void {
    one.index = this.#members.length;
    this.#members.push(one);
  }

  /** Moves the last element into the gap. Ignores an element that is not in the list. */
  remove(one: One): void {
    const { index } = one;
    const last = this.#members.at(-1);
    if (index === -1 || last === undefined) return;
    this.#members[index] = last;
    last.index = index;
    this.#members.pop();
    one.index = -1;
  }

  /** A copy: callers may remove elements while iterating. */
  all(): readonly One[] {
    return this.#members.slice();
  }
}

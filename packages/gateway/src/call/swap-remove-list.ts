/** Stands in a crowd at `place`; -1: in none. */
export interface Member {
  place: number;
}

/**
 * Calls under way, in no order, each added and removed in one step. A Set would do the same and keep every call alive
 * long after its end: it moves to a new table every few dozen calls, the old tables refer to the new ones, and the
 * collector looks at what an old object refers to without asking whether that object is dead.
 */
export class Crowd<One extends Member> {
  readonly #members: One[] = [];

  get size(): number {
    return this.#members.length;
  }

  add(one: One): void {
    one.place = this.#members.length;
    this.#members.push(one);
  }

  /** The last one takes its place. One that is not there stays away. */
  remove(one: One): void {
    const { place } = one;
    const last = this.#members.at(-1);
    if (place === -1 || last === undefined) return;
    this.#members[place] = last;
    last.place = place;
    this.#members.pop();
    one.place = -1;
  }

  /** As they are now: whoever is told may leave. */
  all(): readonly One[] {
    return this.#members.slice();
  }
}

/**
 * What was received before. Tollgate delivers at least once: the same id may come again, each try with a time of its
 * own. The same id with the same time is no new try, it is a recording that somebody plays back.
 * A service with several processes keeps this in its database.
 */
export class SeenDeliveries {
  #timesById = new Map();
  #atMost;

  constructor(atMost = 100_000) {
    this.#atMost = atMost;
  }

  /** "new" | "again" | "replay" */
  note(id, timestamp) {
    const times = this.#timesById.get(id);
    if (times === undefined) {
      this.#timesById.set(id, new Set([timestamp]));
      if (this.#timesById.size > this.#atMost) this.#timesById.delete(this.#timesById.keys().next().value);
      return "new";
    }
    if (times.has(timestamp)) return "replay";
    times.add(timestamp);
    return "again";
  }
}

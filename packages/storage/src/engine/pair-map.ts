/** Values by two keys. A map of maps: a text made of both keys would take longer to write and to hash than both look-ups. */
export class PairMap<First, Second, Value> {
  readonly #maps = new Map<First, Map<Second, Value>>();

  get(first: First, second: Second): Value | undefined {
    return this.#maps.get(first)?.get(second);
  }

  has(first: First, second: Second): boolean {
    return this.#maps.get(first)?.has(second) === true;
  }

  set(first: First, second: Second, value: Value): void {
    const values = this.#maps.get(first);
    if (values === undefined) this.#maps.set(first, new Map([[second, value]]));
    else values.set(second, value);
  }

  /** The value that they have, or a new one. */
  getOrAdd(first: First, second: Second, create: () => Value): Value {
    let value = this.get(first, second);
    if (value === undefined) {
      value = create();
      this.set(first, second, value);
    }
    return value;
  }

  get size(): number {
    let size = 0;
    for (const values of this.#maps.values()) size += values.size;
    return size;
  }

  *values(): Generator<Value> {
    for (const values of this.#maps.values()) yield* values.values();
  }

  clear(): void {
    this.#maps.clear();
  }
}

/** Counts of values up to each bound, as the samples of a Prometheus histogram. */
export class Histogram {
  readonly #counts: number[];
  #sum = 0;

  constructor(private readonly bounds: readonly number[]) {
    this.#counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    const { bounds } = this;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += value;
  }

  *[Symbol.iterator](): Generator<[string, number]> {
    let cumulative = 0;
    for (const [index, count] of this.#counts.entries()) {
      cumulative += count;
      yield [`_bucket{le="${this.bounds[index] ?? "+Inf"}"}`, cumulative];
    }
    yield ["_sum", this.#sum];
    yield ["_count", cumulative];
  }
}

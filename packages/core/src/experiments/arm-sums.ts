/** A session's sums before the sample that is being added; both 0 for a new session. */
export interface SessionSums {
  readonly samples: number;
  readonly sum: number;
}

export const NEW_SESSION: SessionSums = { samples: 0, sum: 0 };

/**
 * Running sums of one arm's samples, for their mean and its variance. Samples of one session are correlated (the split
 * is by session), so the variance is computed from session sums: with S the sum and m the number of samples of a
 * session, Σ(S − mean·m)² / n². With one sample per session this is the usual variance. Samples are integers and sums
 * exact: rounding errors in the variance would become a false difference.
 */
export class ArmSums {
  constructor(
    public samples = 0,
    /** Sessions, and samples without a session. */
    public sessions = 0,
    public sum = 0n,
    private squares = 0n,
    private products = 0n,
    private sizes = 0n,
  ) {}

  static parse(text: readonly string[]): ArmSums {
    const [samples = "0", sessions = "0", sum = "0", squares = "0", products = "0", sizes = "0"] = text;
    return new ArmSums(
      Number(samples),
      Number(sessions),
      BigInt(sum),
      BigInt(squares),
      BigInt(products),
      BigInt(sizes),
    );
  }

  toJSON(): string[] {
    const { samples, sessions, sum, squares, products, sizes } = this;
    return [samples, sessions, sum, squares, products, sizes].map(String);
  }

  add(sample: number, session: SessionSums = NEW_SESSION): void {
    const size = BigInt(session.samples);
    this.#addToSum(BigInt(sample), session);
    this.samples += 1;
    if (session.samples === 0) this.sessions += 1;
    this.products += BigInt(session.sum) + BigInt(sample);
    this.sizes += 2n * size + 1n;
  }

  /** Adds to the sum, but is no sample: the mean becomes larger. */
  addOverhead(amount: number, session: SessionSums = NEW_SESSION): void {
    this.#addToSum(BigInt(amount), session);
  }

  #addToSum(x: bigint, session: SessionSums): void {
    this.sum += x;
    this.squares += 2n * BigInt(session.sum) * x + x * x;
    this.products += x * BigInt(session.samples);
  }

  get mean(): number | null {
    return this.samples === 0 ? null : Number(this.sum) / this.samples;
  }

  /** Of the mean; null: one session shows nothing about how sessions differ. */
  get varianceOfMean(): number | null {
    if (this.sessions < 2) return null;
    const n = BigInt(this.samples);
    const spread =
      n * n * this.squares - 2n * n * this.sum * this.products + this.sum * this.sum * this.sizes;
    return (Number(spread) / this.samples ** 4) * (this.sessions / (this.sessions - 1));
  }

  /** The number of independent samples with the same information, if all samples of a session were identical. */
  get independentSamples(): number {
    return this.samples === 0 ? 0 : this.samples ** 2 / Number(this.sizes);
  }
}

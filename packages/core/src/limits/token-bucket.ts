/** A token bucket: an initial burst, then a constant rate. */
export class TokenBucket {
  #left: number;
  #atMs: number | null = null;

  constructor(
    private readonly atOnce: number,
    private readonly aSecond: number,
  ) {
    this.#left = atOnce;
  }

  /** 0: admitted; otherwise the milliseconds until the next admission. */
  admit(nowMs: number): number {
    const passedMs = Math.max(0, nowMs - (this.#atMs ?? nowMs));
    this.#atMs = nowMs;
    this.#left = Math.min(this.atOnce, this.#left + (passedMs * this.aSecond) / 1000);
    if (this.#left >= 1) {
      this.#left--;
      return 0;
    }
    return ((1 - this.#left) * 1000) / this.aSecond;
  }
}

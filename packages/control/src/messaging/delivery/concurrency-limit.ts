import { fail } from "@tollgate/core/errors";

/** Limits an organization's concurrent requests where each holds an outgoing connection. */
export class ConcurrencyLimit {
  readonly #counts = new Map<string, number>();

  constructor(private readonly most: number) {}

  async run<Result>(orgId: string, work: () => Promise<Result>): Promise<Result> {
    const count = this.#counts.get(orgId) ?? 0;
    if (count >= this.most) {
      throw fail(
        "too_many_at_once",
        `${this.most} such requests are in progress; try again when one has finished`,
      );
    }
    this.#counts.set(orgId, count + 1);
    try {
      return await work();
    } finally {
      const left = (this.#counts.get(orgId) ?? 1) - 1;
      if (left === 0) this.#counts.delete(orgId);
      else this.#counts.set(orgId, left);
    }
  }
}

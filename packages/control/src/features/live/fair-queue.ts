/** Time slice for queued work before yielding the event loop. */
const TURN_MS = 5;
/** A timer, not `setImmediate`: a chain of immediates starves socket reads. */
const REST_MS = 1;

/**
 * Background work of many parties, served round-robin, one piece at a time: a party with a thousand pieces delays
 * another by only one of them. However much is queued, the rest of the process keeps running.
 */
export class FairQueue {
  readonly #lines = new Map<string, (() => Promise<void>)[]>();
  readonly #busy = new Set<string>();
  #servers = 0;
  #spentMs = 0;

  constructor(private readonly atOnce = 1) {}

  run<Result>(party: string, work: () => Result | Promise<Result>): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const piece = async () => {
      try {
        resolve(await work());
      } catch (fault) {
        reject(fault);
      }
    };
    const line = this.#lines.get(party);
    if (line === undefined) this.#lines.set(party, [piece]);
    else line.push(piece);
    if (this.#servers < this.atOnce) void this.#serve();
    return promise;
  }

  async #serve(): Promise<void> {
    this.#servers++;
    for (;;) {
      if (this.#spentMs >= TURN_MS) {
        await Bun.sleep(REST_MS);
        this.#spentMs = 0;
      }
      const party = this.#lines.keys().find(name => !this.#busy.has(name));
      if (party === undefined) break;
      const [piece, ...more] = this.#lines.get(party) ?? [];
      // Back to the end of the line, behind the other parties.
      this.#lines.delete(party);
      if (more.length > 0) this.#lines.set(party, more);
      this.#busy.add(party);
      const startedAt = performance.now();
      await piece?.();
      this.#spentMs += performance.now() - startedAt;
      this.#busy.delete(party);
    }
    this.#servers--;
  }
}

/** As long is worked in one go; then everybody else has a real turn. */
const TURN_MS = 5;
/** A timer, not `setImmediate`: a chain of those lets nobody read from a socket. */
const REST_MS = 1;

/**
 * Work that can wait, of many parties: each in turn, one piece of a party at a time, so that a party with a thousand
 * pieces delays another one by one of them. However much there is, the rest of the process goes on beside it.
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
      // To the end of the row: the others come first.
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

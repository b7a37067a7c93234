import { statfsSync } from "node:fs";

const CHECK_EVERY_MS = 100;
/** With less, no call is sent. Enough for the calls in flight to settle. */
export const RESERVE_BYTES = 64 * 1024;

/**
 * Whether the disk has space left. On a full disk a journal entry may still fit into the last block, and a call sent
 * then could not write its event, so space is checked first.
 */
export class FreeSpace {
  #checkedAt = Number.NEGATIVE_INFINITY;
  #isLow = false;

  constructor(private readonly path: string) {}

  get isLow(): boolean {
    const now = performance.now();
    if (now - this.#checkedAt > CHECK_EVERY_MS || this.#isLow) {
      this.#checkedAt = now;
      const { bavail, bsize } = statfsSync(this.path);
      this.#isLow = bavail * bsize < RESERVE_BYTES;
    }
    return this.#isLow;
  }
}

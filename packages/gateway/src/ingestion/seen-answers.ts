import type { Mode } from "@tollgate/core/event";
import type { EventFinder } from "@tollgate/storage/ledger/find-events";
import { RecentHashes } from "./recent-hashes.ts";

const REMEMBERED_CALLS = 500_000;
/** A page takes a few milliseconds; calls get their turn between two. */
const PAGE = 2000;

/**
 * Which answers of providers came through the gateway, so that a call that telemetry tells of again is counted
 * once. It follows the ledger by a cursor, and only when somebody asks: who sends no telemetry pays nothing, and
 * no call pays anything.
 */
export class SeenAnswers {
  #hashes: RecentHashes | null = null;
  #cursor = 0;
  #reading: Promise<void> = Promise.resolve();

  constructor(private readonly ledger: EventFinder) {}

  /** Resolves once every call that was settled before is known. */
  catchUp(): Promise<void> {
    const reading = this.#reading.catch(() => {}).then(() => this.#read());
    this.#reading = reading;
    return reading;
  }

  has(orgId: string, mode: Mode, responseId: string): boolean {
    return this.#hashes?.has(keyOf(orgId, mode, responseId)) ?? false;
  }

  async #read(): Promise<void> {
    if (this.#hashes === null) {
      this.#hashes = new RecentHashes();
      this.#cursor = Math.max(0, this.ledger.newestSeq() - REMEMBERED_CALLS);
    }
    for (;;) {
      const page = this.ledger.answeredAfter(this.#cursor, PAGE);
      for (const { seq, org_id, mode, source, response_id } of page) {
        this.#cursor = seq;
        if (source === "gateway" && response_id !== null) this.#hashes.add(keyOf(org_id, mode, response_id));
      }
      if (page.length < PAGE) return;
      await new Promise(resolve => setImmediate(resolve));
    }
  }
}

/** The ledger keeps 256 characters of what a provider said. */
function keyOf(orgId: string, mode: Mode, responseId: string): string {
  return `${orgId}\n${mode}\n${responseId.slice(0, 256)}`;
}

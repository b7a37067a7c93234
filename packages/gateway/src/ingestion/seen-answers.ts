import type { Mode } from "@tollgate/core/event";
import type { EventFinder } from "@tollgate/storage/ledger/find-events";
import { followLedger } from "./follow-ledger.ts";
import { RecentHashes } from "./recent-hashes.ts";

const REMEMBERED_CALLS = 500_000;

/**
 * Which answers of providers came through the gateway, so that a call that telemetry tells of again is counted
 * once. It follows the ledger by a cursor, and only when somebody asks: who sends no telemetry pays nothing, and
 * no call pays anything.
 */
export class SeenAnswers {
  #hashes: RecentHashes | null = null;
  readonly #follow: () => Promise<void>;

  constructor(ledger: EventFinder) {
    this.#follow = followLedger(
      ledger,
      REMEMBERED_CALLS,
      ledger.answeredAfter,
      ({ org_id, mode, source, response_id }) => {
        if (source === "gateway" && response_id !== null) this.#hashes?.add(keyOf(org_id, mode, response_id));
      },
    );
  }

  /** Resolves once every call that was settled before is known. */
  catchUp(): Promise<void> {
    this.#hashes ??= new RecentHashes();
    return this.#follow();
  }

  has(orgId: string, mode: Mode, responseId: string): boolean {
    return this.#hashes?.has(keyOf(orgId, mode, responseId)) ?? false;
  }
}

/** The ledger keeps 256 characters of what a provider said. */
function keyOf(orgId: string, mode: Mode, responseId: string): string {
  return `${orgId}\n${mode}\n${responseId.slice(0, 256)}`;
}

import type { Mode } from "@tollgate/core/event";
import type { CallRow, EventFinder } from "@tollgate/storage/ledger/find-events";
import { RESPONSE_ID_LENGTH } from "./compared-call.ts";
import { newEventsReader } from "./read-new-events.ts";
import { RecentHashes } from "./recent-hashes.ts";

const REMEMBERED_CALLS = 500_000;

/**
 * Maps provider response ids to the gateway's calls, so that a call reported again by telemetry is counted once. It
 * follows the ledger with a cursor, on demand: without telemetry it costs nothing.
 */
export class SeenAnswers {
  #hashes: RecentHashes | null = null;
  readonly #readNew: () => Promise<void>;

  constructor(private readonly ledger: EventFinder) {
    this.#readNew = newEventsReader(
      ledger,
      REMEMBERED_CALLS,
      ledger.answeredAfter,
      ({ seq, org_id, mode, source, response_id }) => {
        if (source !== "gateway" || response_id === null) return;
        this.#hashes?.set(keyOf(org_id, mode, response_id), seq);
      },
    );
  }

  /** Resolves once every call settled so far is known. */
  catchUp(): Promise<void> {
    this.#hashes ??= new RecentHashes();
    return this.#readNew();
  }

  /** The newest call with this response id. */
  find(orgId: string, mode: Mode, responseId: string): CallRow | null {
    const seq = this.#hashes?.get(keyOf(orgId, mode, responseId)) ?? null;
    return seq === null ? null : this.ledger.gatewayCallAt(seq, orgId, mode);
  }
}

function keyOf(orgId: string, mode: Mode, responseId: string): string {
  return `${orgId}\n${mode}\n${responseId.slice(0, RESPONSE_ID_LENGTH)}`;
}

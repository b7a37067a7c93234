import { eventAtOrBefore } from "@tollgate/core/live/live-seq";
import type { LedgerPosition } from "@tollgate/storage/ledger/ledger-position";
import type { Scope } from "@tollgate/storage/ledger/scope";
import type { SealedCursors } from "../../kernel/sealed-cursors.ts";

const FINGERPRINT_BITS = 48;

/**
 * Positions of one scope in the channel's order, as the opaque `seq` that viewers see. Each includes a fingerprint of
 * the last event before it, because a restored ledger assigns the same numbers to other events.
 */
export class LiveCursors {
  #last: { readonly seq: number; readonly cursor: string } | null = null;

  constructor(
    private readonly sealed: SealedCursors,
    private readonly scope: Scope,
    /** The last event up to a ledger seq. */
    private readonly eventUpTo: (ledgerSeq: number) => LedgerPosition,
  ) {}

  /** Caches the last cursor: a state goes to many viewers at the same position. */
  seal(seq: number): string {
    if (this.#last?.seq === seq) return this.#last.cursor;
    const cursor = this.sealEvent(seq, this.eventUpTo(eventAtOrBefore(seq)).eventId);
    this.#last = { seq, cursor };
    return cursor;
  }

  /** If the last event up to this position is known. null: there is none. */
  sealEvent(seq: number, eventId: string | null): string {
    return this.sealed.seal(this.scope, "live", { at: fingerprint(eventId), seq });
  }

  /** null: not a cursor of this scope, or one of another ledger. */
  open(cursor: string | number): number | null {
    if (typeof cursor === "number") return null;
    const position = this.sealed.open(this.scope, "live", cursor);
    if (position === null) return null;
    const { eventId } = this.eventUpTo(eventAtOrBefore(position.seq));
    return position.at === fingerprint(eventId) ? position.seq : null;
  }
}

function fingerprint(eventId: string | null): number {
  return eventId === null ? 0 : Number(BigInt.asUintN(FINGERPRINT_BITS, BigInt(Bun.hash(eventId))));
}

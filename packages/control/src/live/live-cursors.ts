import type { Scope } from "@tollgate/storage/read-model/queries";
import type { SealedCursors } from "../kernel/sealed-cursors.ts";

/** Positions of one scope in the channel's order, as the opaque `seq` that viewers see. */
export class LiveCursors {
  #last: { readonly seq: number; readonly cursor: string } | null = null;

  constructor(
    private readonly sealed: SealedCursors,
    private readonly scope: Scope,
  ) {}

  /** Caches the last cursor: a state goes to many viewers at the same position. */
  seal(seq: number): string {
    if (this.#last?.seq === seq) return this.#last.cursor;
    const cursor = this.sealed.seal(this.scope, "live", { at: 0, seq });
    this.#last = { seq, cursor };
    return cursor;
  }

  /** null: not a cursor of this scope. */
  open(cursor: string | number): number | null {
    return typeof cursor === "number" ? null : (this.sealed.open(this.scope, "live", cursor)?.seq ?? null);
  }
}

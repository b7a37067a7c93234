import type { Scope } from "@tollgate/storage/read-model/queries";
import type { SealedPlaces } from "../kernel/sealed-cursors.ts";

/** Places of one scope in the channel's order, as viewers see them (`seq`). */
export class LivePlaces {
  #last: { readonly seq: number; readonly word: string } | null = null;

  constructor(
    private readonly sealed: SealedPlaces,
    private readonly scope: Scope,
  ) {}

  /** The last one is kept: a state is told to many viewers as of the same place. */
  word(seq: number): string {
    if (this.#last?.seq === seq) return this.#last.word;
    const word = this.sealed.seal(this.scope, "live", { at: 0, seq });
    this.#last = { seq, word };
    return word;
  }

  /** null: it is no place of this scope. */
  place(word: string | number): number | null {
    return typeof word === "number" ? null : (this.sealed.open(this.scope, "live", word)?.seq ?? null);
  }
}

import type { Event } from "@tollgate/core/event";

/**
 * Copies the answer to a sampled call while it is sent, and passes it on once the client has all of it. Answers that
 * are too long to compare, or incomplete, are dropped.
 */
export class AnswerTap {
  #pieces: Uint8Array[] | null = [];
  #bytes = 0;
  #event: Event | null = null;

  constructor(
    private readonly maxBytes: number,
    private readonly answered: (answer: string, event: Event) => void,
    private readonly dropped: () => void,
  ) {}

  /** An answer that was not streamed. */
  whole(answer: string, event: Event): void {
    this.#pieces = null;
    if (answer.length > this.maxBytes) this.dropped();
    else this.answered(answer, event);
  }

  push(piece: Uint8Array): void {
    if (this.#pieces === null) return;
    this.#bytes += piece.length;
    if (this.#bytes > this.maxBytes) this.drop();
    else this.#pieces.push(piece);
  }

  settled(event: Event): void {
    this.#event = event;
  }

  /** The client has read the last piece. */
  end(): void {
    if (this.#pieces === null) return;
    if (this.#event === null || this.#event.status !== "success") {
      this.drop();
      return;
    }
    const answer = Buffer.concat(this.#pieces).toString("utf8");
    this.#pieces = null;
    this.answered(answer, this.#event);
  }

  drop(): void {
    if (this.#pieces === null) return;
    this.#pieces = null;
    this.dropped();
  }
}

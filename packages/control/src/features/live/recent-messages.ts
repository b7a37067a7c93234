import type { LogMessage, LogPage } from "./log-page.ts";

const MAX_MESSAGES = 1000;
const MAX_CHARACTERS = 4_000_000;
const MESSAGES_PER_PAGE = 200;

/**
 * The newest messages of an audience, already serialized: each viewer is served from its own position, and each
 * message is read and written once. Older messages are read from the ledger.
 */
export class RecentMessages {
  #messages: LogMessage[] = [];
  #characters = 0;
  /** Every message after this one is here. */
  #from: number;

  constructor(published: number) {
    this.#from = published;
  }

  add(messages: readonly LogMessage[]): void {
    for (const message of messages) {
      this.#messages.push(message);
      this.#characters += message.text.length;
    }
    // Trimmed at twice the size, not with every message.
    if (this.#messages.length < 2 * MAX_MESSAGES && this.#characters < 2 * MAX_CHARACTERS) return;
    let cut = 0;
    while (this.#messages.length - cut > MAX_MESSAGES || this.#characters > MAX_CHARACTERS) {
      const oldest = this.#messages[cut++];
      if (oldest === undefined) break;
      this.#characters -= oldest.text.length;
      this.#from = oldest.seq;
    }
    this.#messages = this.#messages.slice(cut);
  }

  /** null: the position is older than what is kept. */
  after(position: number, published: number): LogPage | null {
    if (position < this.#from) return null;
    const first = this.#firstAfter(position);
    const messages = this.#messages.slice(first, first + MESSAGES_PER_PAGE);
    const isAll = first + MESSAGES_PER_PAGE >= this.#messages.length;
    return { messages, upTo: isAll ? published : (messages.at(-1)?.seq ?? published) };
  }

  #firstAfter(position: number): number {
    let low = 0;
    let high = this.#messages.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#messages[middle]?.seq ?? 0) > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

import type { LogPage } from "./log-reader.ts";
import type { LogMessage } from "./viewer.ts";

const MAX_MESSAGES = 250;
const MESSAGES_A_PAGE = 200;

/**
 * The newest messages of a room, as they were written: viewers that fell behind a little, or come back after a
 * moment, are all served from here, and each message is read and written once.
 */
export class RecentMessages {
  #messages: LogMessage[] = [];
  /** Every message after this one is here. */
  #from: number;

  constructor(published: number) {
    this.#from = published;
  }

  add(messages: readonly LogMessage[]): void {
    this.#messages.push(...messages);
    // Cut at twice the size: not with every message.
    if (this.#messages.length < 2 * MAX_MESSAGES) return;
    const cut = this.#messages.length - MAX_MESSAGES;
    this.#from = this.#messages[cut - 1]?.seq ?? this.#from;
    this.#messages = this.#messages.slice(cut);
  }

  /** null: it begins before what is kept. */
  after(position: number, published: number): LogPage | null {
    if (position < this.#from) return null;
    const first = this.#messages.findIndex(({ seq }) => seq > position);
    if (first < 0) return { messages: [], upTo: published };
    const messages = this.#messages.slice(first, first + MESSAGES_A_PAGE);
    const isAll = first + MESSAGES_A_PAGE >= this.#messages.length;
    return { messages, upTo: isAll ? published : (messages.at(-1)?.seq ?? published) };
  }
}

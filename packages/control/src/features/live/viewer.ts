import {
  type LiveChannel,
  liveCloseCodes,
  MAX_MISSED_EVENTS,
  type StateChannel,
} from "@tollgate/core/live/live-channels";
import type { ServerWebSocket } from "bun";
import type { LogPage } from "./log-page.ts";
import type { MissedCount } from "./missed-events.ts";

/** With more than this buffered, a viewer is sent nothing until it has read some of it. */
const FULL_BYTES = 64 * 1024;
export const MAX_BUFFERED_BYTES = 1024 * 1024;
const STUCK_AFTER_MS = 30_000;
/** A peer that reads nothing does not read the close frame either; after this it is cut off. */
const CLOSING_MS = 2000;

/**
 * One connection. Everything up to `position` was sent. A current viewer is sent new messages from memory as they
 * come; one that does not read falls behind and later catches up from the ledger.
 */
export class Viewer {
  readonly channels = new Set<LiveChannel>();
  /** States whose snapshot it has yet to receive. */
  readonly stale = new Set<StateChannel>();
  position = 0;
  isCurrent = true;
  /** How many events its audience had published at `position`; the difference from now is how far it is behind. */
  eventsSent = 0;
  /** The count of missed events in progress; nothing is sent before it ends. */
  counting: MissedCount | null = null;
  /** Changes with every subscription: pages read for an older one are discarded. */
  generation = 0;
  isReading = false;
  isOpen = true;
  #fullSince: number | null = null;
  #closing: { readonly code: number; readonly reason: string } | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly socket: ServerWebSocket<unknown>,
    private readonly uptimeMs: () => number,
  ) {}

  get isFull(): boolean {
    if (this.socket.getBufferedAmount() <= FULL_BYTES) {
      this.#fullSince = null;
      return false;
    }
    this.#fullSince ??= this.uptimeMs();
    return true;
  }

  get watchesLogs(): boolean {
    return this.channels.has("events") || this.channels.has("alerts");
  }

  /** Sends the next log messages in order until the buffer is full; `position` reaches `upTo` when all were sent. */
  sendLogs({ messages, upTo }: LogPage): void {
    for (const { channel, seq, text } of messages) {
      if (this.isFull) {
        this.isCurrent = false;
        return;
      }
      if (this.channels.has(channel)) this.send(text);
      this.position = seq;
      if (channel === "events") this.eventsSent++;
    }
    this.position = upTo;
  }

  closeIfBehind(eventsPublished: number): void {
    if (this.counting !== null || !this.channels.has("events")) return;
    if (eventsPublished - this.eventsSent > MAX_MISSED_EVENTS) {
      this.close(liveCloseCodes.tooSlow, "too slow");
    }
  }

  send(text: string): void {
    if (!this.isOpen) return;
    // 0: dropped because its buffer is over the limit.
    if (this.socket.send(text) === 0 || this.socket.getBufferedAmount() > MAX_BUFFERED_BYTES) {
      this.close(liveCloseCodes.tooSlow, "too slow");
    }
  }

  /** Sends several messages in one write. */
  sendTogether(send: () => void): void {
    if (this.isOpen) this.socket.cork(send);
  }

  closeIfStuck(): void {
    if (!this.isFull || this.#fullSince === null) return;
    if (this.uptimeMs() - this.#fullSince > STUCK_AFTER_MS) this.close(liveCloseCodes.tooSlow, "too slow");
  }

  close(code: number, reason: string): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    if (this.socket.getBufferedAmount() === 0) {
      this.socket.close(code, reason);
      return;
    }
    this.#closing = { code, reason };
    this.#timer = setTimeout(() => this.socket.terminate(), CLOSING_MS);
  }

  /** The send buffer has drained. */
  drained(): void {
    if (this.#closing === null || this.socket.getBufferedAmount() > 0) return;
    clearTimeout(this.#timer);
    this.socket.close(this.#closing.code, this.#closing.reason);
    this.#closing = null;
  }

  ended(): void {
    this.isOpen = false;
    clearTimeout(this.#timer);
  }
}

import {
  type LiveChannel,
  liveCloseCodes,
  MAX_MISSED_EVENTS,
  type StateChannel,
} from "@tollgate/core/live/live-channels";
import type { ServerWebSocket } from "bun";
import type { LogPage } from "./log-page.ts";
import type { MissedCount } from "./missed-events.ts";

/** Above this, a viewer is sent nothing more until it has read on. */
const FULL_BYTES = 64 * 1024;
export const MAX_BUFFERED_BYTES = 1024 * 1024;
const PATIENCE_MS = 30_000;
/** A peer that reads nothing does not read either that it is over: it is cut off, for an orderly end would wait. */
const CLOSING_MS = 2000;

/**
 * One connection. Its place in the logs is `position`: everything up to it was sent. While it is current, new
 * messages are sent from memory as they come; a viewer that does not read stays behind, and what it misses waits in
 * the ledger.
 */
export class Viewer {
  readonly channels = new Set<LiveChannel>();
  /** States that it has to be sent whole. */
  readonly stale = new Set<StateChannel>();
  position = 0;
  isCurrent = true;
  /** How many events its room had published at `position`: what it is behind by is the difference. */
  eventsTold = 0;
  /** How many events it missed is being counted; nothing is sent before that is known. */
  counting: MissedCount | null = null;
  /** Changes with every subscription: what was read for an older one is not sent. */
  generation = 0;
  isReading = false;
  isOpen = true;
  #fullSince: number | null = null;
  #closing: { readonly code: number; readonly reason: string } | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly socket: ServerWebSocket<unknown>) {}

  get isFull(): boolean {
    if (this.socket.getBufferedAmount() <= FULL_BYTES) {
      this.#fullSince = null;
      return false;
    }
    this.#fullSince ??= performance.now();
    return true;
  }

  get watchesLogs(): boolean {
    return this.channels.has("events") || this.channels.has("alerts");
  }

  /** The next messages of the logs, in their order, as far as it takes them; `upTo` is told when all were sent. */
  tell({ messages, upTo }: LogPage): void {
    for (const { channel, seq, text } of messages) {
      if (this.isFull) {
        this.isCurrent = false;
        return;
      }
      if (this.channels.has(channel)) this.send(text);
      this.position = seq;
      if (channel === "events") this.eventsTold++;
    }
    this.position = upTo;
  }

  closeIfBehind(eventsPublished: number): void {
    if (this.counting !== null || !this.channels.has("events")) return;
    if (eventsPublished - this.eventsTold > MAX_MISSED_EVENTS) {
      this.close(liveCloseCodes.tooSlow, "too slow");
    }
  }

  send(text: string): void {
    if (!this.isOpen) return;
    // 0: dropped, for its buffer is over the limit.
    if (this.socket.send(text) === 0 || this.socket.getBufferedAmount() > MAX_BUFFERED_BYTES) {
      this.close(liveCloseCodes.tooSlow, "too slow");
    }
  }

  /** Several messages in one write. */
  sendTogether(send: () => void): void {
    if (this.isOpen) this.socket.cork(send);
  }

  closeIfStuck(): void {
    if (!this.isFull || this.#fullSince === null) return;
    if (performance.now() - this.#fullSince > PATIENCE_MS) this.close(liveCloseCodes.tooSlow, "too slow");
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

  /** What was waiting to be sent is. */
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

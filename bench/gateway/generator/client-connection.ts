import type { Socket } from "bun";
import type { Address } from "./chat-request.ts";
import { HttpReader, readStatus } from "./http-reader.ts";
import { SocketWriter } from "./socket-writer.ts";

export interface AnswerEvents {
  readonly body: (piece: Buffer) => void;
  readonly end: () => void;
  /** The call failed: another status than 200, a broken connection, or invalid HTTP. */
  readonly failed: (reason: string) => void;
}

/**
 * One keep-alive connection with one call at a time. A target may close it between two calls; the next call then opens
 * a new one. Closing it during a call is a failure of the call.
 */
export class ClientConnection {
  private socket: Socket<undefined> | null = null;
  private writer: SocketWriter | null = null;
  private busy = false;

  constructor(
    private readonly address: Address,
    private readonly events: AnswerEvents,
  ) {}

  get isOpen(): boolean {
    return this.socket !== null;
  }

  async open(): Promise<void> {
    const reader = new HttpReader({
      head: head => {
        const status = readStatus(head);
        if (status !== 200) this.fail(`status ${status}`);
      },
      body: piece => this.events.body(piece),
      end: () => {
        if (!this.busy) return;
        this.busy = false;
        this.events.end();
      },
    });
    const socket = await Bun.connect({
      ...this.address,
      socket: {
        data: (_, bytes) => {
          try {
            reader.push(bytes);
          } catch (error) {
            this.fail(error instanceof Error ? error.message : "unreadable answer");
          }
        },
        drain: () => this.writer?.flush(),
        close: () => {
          this.socket = null;
          if (this.busy) this.fail("the connection was closed during a call");
        },
        error: () => this.fail("the connection broke"),
      },
    });
    this.socket = socket;
    this.writer = new SocketWriter(socket);
  }

  send(request: Buffer): void {
    this.busy = true;
    this.writer?.write(request);
  }

  close(): void {
    this.busy = false;
    this.socket?.terminate();
    this.socket = null;
  }

  private fail(reason: string): void {
    if (!this.busy) return;
    this.busy = false;
    this.events.failed(reason);
  }
}

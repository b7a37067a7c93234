import type { Socket } from "bun";

/**
 * Bun's raw sockets accept what fits and drop the rest: `write` returns how much was accepted. The remainder is queued
 * here, and sent when the socket drains.
 */
export class SocketWriter {
  private left: Buffer[] = [];

  constructor(private readonly socket: Pick<Socket<unknown>, "write">) {}

  write(bytes: Buffer): void {
    if (this.left.length > 0) {
      this.left.push(bytes);
      return;
    }
    const written = this.socket.write(bytes);
    if (written < bytes.length) this.left.push(bytes.subarray(Math.max(0, written)));
  }

  flush(): void {
    const waiting = this.left;
    this.left = [];
    for (const bytes of waiting) this.write(bytes);
  }
}

import { join } from "node:path";
import { startServer } from "../kit/start-server.ts";

export interface Received {
  readonly count: number;
  /** Milliseconds on the receiver's own clock. */
  readonly firstAt: number;
  readonly lastAt: number;
}

/** The receiver's process, and what it has received. */
export class Customer {
  private constructor(
    readonly url: string,
    readonly stop: () => Promise<void>,
  ) {}

  static async start(): Promise<Customer> {
    const { port, stop } = await startServer(join(import.meta.dir, "receiver.ts"));
    return new Customer(`http://127.0.0.1:${port}`, stop);
  }

  async received(): Promise<Received> {
    return (await (await fetch(this.url)).json()) as Received;
  }

  async forget(): Promise<void> {
    await fetch(`${this.url}/forget`);
  }

  /** Resolves once `count` deliveries have arrived since the last reset. */
  async wait(count: number, maxSeconds: number): Promise<Received> {
    const end = performance.now() + maxSeconds * 1000;
    for (;;) {
      const received = await this.received();
      if (received.count >= count) return received;
      if (performance.now() > end) {
        throw new Error(`${received.count} of ${count} deliveries arrived within ${maxSeconds} s`);
      }
      await Bun.sleep(50);
    }
  }
}

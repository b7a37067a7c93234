import { join } from "node:path";
import { endWithBench, plainEnvironment } from "../gateway/owned-process.ts";

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
    const child = Bun.spawn([process.execPath, join(import.meta.dir, "receiver.ts")], {
      env: plainEnvironment(),
      stdin: "pipe",
      stdout: "pipe",
      stderr: "inherit",
    });
    const forget = endWithBench(child);
    const reader = child.stdout.getReader();
    const { value } = await reader.read();
    reader.releaseLock();
    // Our own script wrote the line.
    const { port } = JSON.parse(new TextDecoder().decode(value)) as { port: number };
    return new Customer(`http://127.0.0.1:${port}`, async () => {
      child.kill("SIGTERM");
      await child.exited;
      forget();
    });
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

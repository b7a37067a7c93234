import { join } from "node:path";
import { endWithBench, plainEnvironment } from "../kit/owned-process.ts";
import { cpuMs } from "../kit/process-stats.ts";

const SETTLE_EVERY_MS = 1000;
const MAX_SETTLE_MS = 300_000;
/** Share of a core for the periodic work of an idle control plane. */
const IDLE_SHARE = 0.25;
const IDLE_SECONDS = 3;

export interface ToolsControl {
  readonly url: string;
  readonly pid: number;
  /** It has caught up and finished its first evaluation. False: still busy after five minutes. */
  settled(): Promise<boolean>;
  stop(): Promise<void>;
}

/** The control plane in its own process. */
export async function startToolsControl(folder: string): Promise<ToolsControl> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "control-process.ts"), folder], {
    env: plainEnvironment(),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const forget = endWithBench(child);
  const url = await firstLine(child.stdout);
  return {
    url,
    pid: child.pid,
    async settled() {
      const until = performance.now() + MAX_SETTLE_MS;
      let idleSeconds = 0;
      while (idleSeconds < IDLE_SECONDS) {
        if (performance.now() > until) return false;
        const before = cpuMs([child.pid]);
        await Bun.sleep(SETTLE_EVERY_MS);
        const isIdle = cpuMs([child.pid]) - before < IDLE_SHARE * SETTLE_EVERY_MS;
        idleSeconds = isIdle ? idleSeconds + 1 : 0;
      }
      return true;
    },
    async stop() {
      child.stdin.end();
      await child.exited;
      forget();
    },
  };
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of stream) {
    text += decoder.decode(piece, { stream: true });
    const end = text.indexOf("\n");
    if (end >= 0) return text.slice(0, end);
  }
  throw new Error("the control plane did not start");
}

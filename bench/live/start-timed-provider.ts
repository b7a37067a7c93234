import { join } from "node:path";
import { endWithBench, plainEnvironment } from "../gateway/owned-process.ts";
import type { RunningTarget } from "../gateway/targets/target.ts";

export async function startTimedProvider(): Promise<RunningTarget> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "timed-provider.ts")], {
    env: plainEnvironment(),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const forget = endWithBench(child);
  const reader = child.stdout.getReader();
  const first = await reader.read();
  reader.releaseLock();
  const said: unknown = JSON.parse(new TextDecoder().decode(first.value));
  if (typeof said !== "object" || said === null || !("port" in said) || typeof said.port !== "number") {
    throw new Error("the provider did not report its port");
  }
  return {
    address: { hostname: "127.0.0.1", port: said.port },
    headers: {},
    pid: child.pid,
    version: `Bun ${Bun.version}`,
    stop: async () => {
      child.kill("SIGTERM");
      await child.exited;
      forget();
    },
  };
}

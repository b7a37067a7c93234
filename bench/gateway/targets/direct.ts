import { join } from "node:path";
import { endWithBench, plainEnvironment } from "../owned-process.ts";
import { PROVIDER_KEY, type RunningTarget, type Target } from "./target.ts";

const headers = { Authorization: `Bearer ${PROVIDER_KEY}` };

/** The fake upstream itself: the cost of a call without anything in between. */
export const direct: Target = {
  name: "direct",
  title: "upstream directly",
  fewer: 1,
  // It is already running, behind every other target, and is not stopped by this measurement.
  start: async upstream => ({ ...upstream, stop: async () => {} }),
};

export async function startFakeUpstream(): Promise<RunningTarget> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "..", "fake-upstream.ts")], {
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
    throw new Error("the fake upstream did not report its port");
  }
  return {
    address: { hostname: "127.0.0.1", port: said.port },
    headers,
    pid: child.pid,
    version: `Bun ${Bun.version}`,
    stop: async () => {
      child.kill("SIGTERM");
      await child.exited;
      forget();
    },
  };
}

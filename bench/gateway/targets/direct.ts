import { join } from "node:path";
import { startServer } from "../../kit/start-server.ts";
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
  const { port, pid, stop } = await startServer(join(import.meta.dir, "..", "upstream", "fake-upstream.ts"));
  return { address: { hostname: "127.0.0.1", port }, headers, pid, version: `Bun ${Bun.version}`, stop };
}

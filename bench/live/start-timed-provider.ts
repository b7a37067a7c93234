import { join } from "node:path";
import type { RunningTarget } from "../gateway/targets/target.ts";
import { startServer } from "../kit/start-server.ts";

export async function startTimedProvider(): Promise<RunningTarget> {
  const { port, pid, stop } = await startServer(join(import.meta.dir, "timed-provider.ts"));
  return { address: { hostname: "127.0.0.1", port }, headers: {}, pid, version: `Bun ${Bun.version}`, stop };
}

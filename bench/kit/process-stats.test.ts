import { describe, expect, it } from "bun:test";
import {
  cpuMs,
  listenersOn,
  peakResidentMb,
  processTree,
  residentMb,
  sharedOnceMb,
  startTicks,
} from "./process-stats.ts";

describe("process stats", () => {
  it("reads CPU time that grows with work", () => {
    const before = cpuMs([process.pid]);
    const until = process.cpuUsage().user + 60_000;
    while (process.cpuUsage().user < until) Math.sqrt(until);
    expect(cpuMs([process.pid]) - before).toBeGreaterThanOrEqual(30);
  });

  it("reads resident memory close to what the runtime itself reports, and a peak not below it", () => {
    const ownMb = process.memoryUsage().rss / 1_000_000;
    expect(Math.abs(residentMb([process.pid]) - ownMb)).toBeLessThan(30);
    expect(peakResidentMb([process.pid])).toBeGreaterThanOrEqual(residentMb([process.pid]) - 1);
  });

  it("counts pages that two processes share once", async () => {
    const child = Bun.spawn(["sleep", "30"]);
    const other = Bun.spawn(["sleep", "30"]);
    try {
      const pids = [child.pid, other.pid];
      expect(sharedOnceMb(pids)).toBeGreaterThan(0);
      expect(sharedOnceMb(pids)).toBeLessThan(residentMb(pids));
    } finally {
      for (const started of [child, other]) {
        started.kill("SIGKILL");
        await started.exited;
      }
    }
  });

  it("finds a child in the tree of its parent, and nothing once it has ended", async () => {
    const child = Bun.spawn(["sleep", "30"]);
    expect(processTree(process.pid)).toContain(child.pid);
    child.kill("SIGKILL");
    await child.exited;
    expect(processTree(child.pid)).toEqual([]);
    expect(startTicks(child.pid)).toBeNull();
  });

  it("distinguishes a port's listener from any other process", () => {
    const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    try {
      expect(listenersOn(server.port, [process.pid, 1])).toEqual([process.pid]);
      expect(listenersOn(server.port, [])).toEqual([]);
    } finally {
      server.stop(true);
    }
  });
});

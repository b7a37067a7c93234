import { describe, expect, it } from "bun:test";
import { FairQueue } from "./fair-queue.ts";

function work(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe("FairQueue", () => {
  it("LIVE-005 lets a party with a thousand pieces delay another by only one of them", async () => {
    const queue = new FairQueue();
    const done: string[] = [];
    const loud = Array.from({ length: 1000 }, () => queue.run("loud", () => done.push("loud")));
    await queue.run("quiet", () => done.push("quiet"));
    expect(done.indexOf("quiet")).toBeLessThanOrEqual(2);
    await Promise.all(loud);
    expect(done).toHaveLength(1001);
  });

  it("LIVE-005 lets the process serve others while there is work, although each piece requests the next at once", async () => {
    const queue = new FairQueue();
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("here") });
    let pieces = 0;
    let isAnswered = false;
    const busy = Promise.all(
      Array.from({ length: 20 }, async () => {
        while (!isAnswered && pieces < 60_000) {
          await queue.run("loud", () => work(1));
          pieces++;
        }
      }),
    );
    await (await fetch(server.url)).text();
    isAnswered = true;
    await busy;
    expect(pieces).toBeLessThan(60_000);
    await server.stop(true);
  });

  it("runs the configured number at once, and one piece per party", async () => {
    const queue = new FairQueue(2);
    const running: string[] = [];
    let most = 0;
    const piece = (party: string) =>
      queue.run(party, async () => {
        expect(running).not.toContain(party);
        running.push(party);
        most = Math.max(most, running.length);
        await new Promise(resolve => setImmediate(resolve));
        running.splice(running.indexOf(party), 1);
      });
    await Promise.all(["a", "a", "b", "c", "a", "d"].map(piece));
    expect(most).toBe(2);
  });

  it("rejects for the caller of a failing piece, and continues", async () => {
    const queue = new FairQueue();
    const failing = queue.run("a", () => {
      throw new Error("no");
    });
    expect(failing).rejects.toThrow("no");
    expect(await queue.run("a", () => 7)).toBe(7);
  });
});

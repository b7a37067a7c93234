import { describe, expect, it } from "bun:test";
import { existsSync } from "node:fs";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import { startInTest } from "../../support/processes/start-in-test.ts";
import { isAlive, printedKeys, type RunningTollgate } from "../../support/processes/tollgate-process.ts";
import { servePacedProvider } from "../../support/servers/paced-provider.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const folder = temporaryFolder();
const start = startInTest();
let made = 0;

const ports = (tollgate: RunningTollgate) => ({
  SVC_GATEWAY_PORT: new URL(tollgate.addressOf("gateway")).port,
  SVC_WEB_PORT: new URL(tollgate.addressOf("web")).port,
});

/** Every connection is new: the kernel would give some of them to another listener. */
async function answersAlone(url: string): Promise<void> {
  const asked = Array.from({ length: 12 }, () =>
    fetch(`${url}/health`, { headers: { connection: "close" }, keepalive: false }),
  );
  for (const answer of await Promise.all(asked)) expect(answer.status).toBe(200);
}

describe("a second instance", () => {
  for (const [firstHost, secondHost] of [
    ["127.0.0.1", "127.0.0.1"],
    ["127.0.0.1", "0.0.0.0"],
    ["localhost", "localhost"],
  ] as const) {
    it(`REL-016 on a port of the first fails and names it (${secondHost} next to ${firstHost})`, async () => {
      const first = start(folder(`ports-${++made}`), { SVC_HOST: firstHost });
      const url = await first.ready();
      for (const [variable, port] of Object.entries(ports(first))) {
        const second = start(folder(`ports-${++made}`), { SVC_HOST: secondHost, [variable]: port });
        expect(await second.ended()).toBe(2);
        expect(second.stdout).toBe("");
        expect(second.stderr).toContain(`port ${port} of ${secondHost} is in use by another program`);
        expect(second.stderr).toContain(`set ${variable}`);
        expect([second.stderr.includes("    at "), existsSync(second.addresses)]).toEqual([false, false]);
      }
      await answersAlone(url);
    });
  }

  it("REL-016 REL-003 on the same data directory fails immediately, names it and its owner, and does not affect it", async () => {
    const dataDir = folder("shared");
    const first = start(dataDir);
    const url = await first.ready();
    const second = start(dataDir);
    expect(await second.ended()).toBe(2);
    expect(second.stderr).toBe(
      `another Tollgate (pid ${first.pid}) is running on the data directory ${dataDir}: stop it first, or set SVC_DATA_DIR to another directory\n`,
    );
    expect(second.stdout).toBe("");
    expect(existsSync(first.addresses)).toBe(true);
    await answersAlone(url);
    expect(await first.stop()).toBe(0);
    await start(dataDir).ready();
  });

  it("REL-003 starts on the same ports right after kill -9 of the first, and waits for its last calls", async () => {
    const answered = Promise.withResolvers<void>();
    const provider = servePacedProvider(() => answered.promise);
    try {
      const dataDir = folder("killed");
      const first = start(dataDir, { SVC_OPENAI_BASE_URL: provider.url });
      const url = await first.ready();
      const settings = ports(first);
      const stream = await fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${printedKeys(first.stdout).live[0]}`,
          "x-provider-key": "k",
          "content-type": "application/json",
        },
        body: JSON.stringify({
          model: "gpt-4o-mini",
          stream: true,
          messages: [{ role: "user", content: "a" }],
        }),
      });
      first.kill("SIGKILL");
      await eventually("the main process is gone", () => !isAlive(first.pid));
      const second = start(dataDir, settings);
      await eventually("it waits for the gateway that was left behind", () =>
        second.stderr.includes("waiting for a process to end whose supervisor was killed"),
      );
      answered.resolve();
      expect(await stream.text()).toEndWith("data: [DONE]\n\n");
      await eventually("the second one is up", () => second.stdout.includes("Tollgate gateway"));
      await answersAlone(url);
    } finally {
      await provider.stop();
    }
  });
});

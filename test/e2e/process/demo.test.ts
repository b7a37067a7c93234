import { describe, expect, it, onTestFinished } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { chat } from "../../support/clients/call-endpoints.ts";
import { startInTest } from "../../support/labs/start-in-test.ts";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import { printedKeys, svc } from "../../support/labs/tollgate-process.ts";
import { serveProvider } from "../../support/servers/serve-provider.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const folder = temporaryFolder();
const start = startInTest();

interface Agents {
  readonly agents: readonly { readonly agent_key: string }[];
}
interface Analytics {
  readonly summary: { readonly total_calls: number; readonly total_cost_microcents: number };
  readonly by_model: readonly { readonly model: string }[];
}

describe("svc demo", () => {
  it("OPS-014 fills an organization with simulated traffic, visible in analytics and agents, and connects to nothing else", async () => {
    const dataDir = folder("data");
    const connections = folder("connections");
    const preload = join(import.meta.dir, "../../support/servers/watch-connections.ts");
    const watched = { BUN_OPTIONS: `--preload=${preload}`, CONNECTIONS_FILE: connections };
    const provider = serveProvider("openai");
    onTestFinished(() => provider.stop());
    const tollgate = start(dataDir, {
      ...watched,
      SVC_OPENAI_BASE_URL: `http://localhost:${portOf(provider.url)}`,
    });
    const gateway = await tollgate.ready();
    const hosts = () =>
      existsSync(connections) ? readFileSync(connections, "utf8").split("\n").filter(Boolean) : [];
    const before = hosts().length;

    const demo = await svc(dataDir, ["demo", "--calls", "120", "--days", "10", "--json"], watched);
    expect([demo.exitCode, demo.json()]).toMatchObject([0, { events: 120, days: 10 }]);
    const { key } = demo.json() as { key: string };
    const get = async <T>(path: string): Promise<T> => {
      const answer = await fetch(tollgate.addressOf("web") + path, {
        headers: { authorization: `Bearer ${key}` },
      });
      return (await answer.json()) as T;
    };
    await eventually(
      "analytics show every call",
      async () => (await get<Analytics>("/api/analytics")).summary.total_calls === 120,
    );
    const { summary, by_model } = await get<Analytics>("/api/analytics");
    expect([summary.total_cost_microcents > 0, by_model.length > 2]).toEqual([true, true]);
    const { agents } = await get<Agents>("/api/agents");
    expect(agents.length).toBeGreaterThan(2);
    // The command connected to this machine's gateway, and neither it nor the planes to anything else.
    const during = hosts().slice(before);
    expect([during.length > 0, [...new Set(during)]]).toEqual([true, ["127.0.0.1"]]);
    expect(provider.count).toBe(0);

    // The check would have noticed: a call that leaves the gateway is on the list.
    await fetch(gateway + chat.path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${printedKeys(tollgate.stdout).live[0]}`,
        "x-provider-key": "k",
        "content-type": "application/json",
      },
      body: JSON.stringify(chat.body),
    });
    expect([provider.count, hosts().slice(before).includes("localhost")]).toEqual([1, true]);
  });
});

const portOf = (url: string) => new URL(url).port;

import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { callEndpoints, chat } from "../../support/clients/call-endpoints.ts";
import { startTestGateway, type TestGateway } from "../../support/labs/test-gateway.ts";
import { type ServedProvider, serveProvider } from "../../support/servers/serve-provider.ts";
import { eventually } from "../../support/waiting/eventually.ts";

let openai: ServedProvider;
let anthropic: ServedProvider;
beforeAll(() => {
  openai = serveProvider("openai", { records: false });
  anthropic = serveProvider("anthropic", { records: false });
});
afterAll(() => Promise.all([openai.stop(), anthropic.stop()]));

const start = (tier: "starter" | "lite" | "pro", dataDir?: string) =>
  startTestGateway({
    tier,
    baseUrls: { openai: openai.url, anthropic: anthropic.url },
    ...(dataDir ? { dataDir } : {}),
  });

const as = (gateway: TestGateway, agent: string, key = gateway.liveKey) =>
  gateway.post(chat.path, chat.body, { "x-agent-id": agent, authorization: `Bearer ${key}` });

describe("agents", () => {
  it("LIM-001 LIM-009 LIM-010 LIM-017 starter's fourth agent is 402 on every endpoint; the three continue", async () => {
    const gateway = await start("starter");
    for (const agent of ["a", "b", "c"]) expect((await as(gateway, agent)).status).toBe(200);
    const calls = openai.count + anthropic.count;
    for (const { path, body } of callEndpoints) {
      const answer = await gateway.post(path, body, { "x-agent-id": "d" });
      expect([answer.status, await answer.json()]).toEqual([
        402,
        {
          error: "the starter tier includes 3 agents, and all are in use",
          required_tier: "lite",
          current_tier: "starter",
          upgrade_url: "http://127.0.0.1:3000/settings/plan",
        },
      ]);
      expect(answer.headers.get("x-should-retry")).toBe("false");
      expect(answer.headers.get("ratelimit-remaining")).toBe("7");
    }
    expect((await gateway.post(chat.path, chat.body)).status).toBe(402); // `default` is an ordinary agent
    expect(openai.count + anthropic.count).toBe(calls);
    for (const agent of ["c", "a"]) expect((await as(gateway, agent)).status).toBe(200);
    expect(await (await fetch(`${gateway.url}/metrics`)).text()).toContain(
      'status="402",code="tier_limit"} 5',
    );
    expect(gateway.events().length).toBe(5);
    await gateway.stop();
  });

  it("LIM-002 lite allows ten, and names pro for the eleventh", async () => {
    const gateway = await start("lite");
    for (let agent = 0; agent < 10; agent++) expect((await as(gateway, `agent-${agent}`)).status).toBe(200);
    expect(await (await as(gateway, "one-more")).json()).toMatchObject({
      required_tier: "pro",
      current_tier: "lite",
    });
    await gateway.stop();
  });

  it("LIM-003 pro allows any number", async () => {
    const gateway = await start("pro");
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, agent) => as(gateway, `agent-${agent}`)),
    );
    expect(answers.every(answer => answer.status === 200)).toBe(true);
    await gateway.stop();
  });

  it("LIM-009 ten concurrent new agents on starter: three are admitted", async () => {
    const gateway = await start("starter");
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, agent) => as(gateway, `agent-${agent}`)),
    );
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 200, 200, ...Array(7).fill(402)]);
    expect(gateway.reader.agents().length).toBe(3);
    await gateway.stop();
  });

  it("GW-042 an agent is registered with its first call, whatever its outcome, even across a restart", async () => {
    let gateway = await start("starter");
    const { dataDir, liveKey } = gateway;
    await gateway.post(chat.path, { ...chat.body, model: "grok-4" }, { "x-agent-id": "unlucky" });
    await Promise.all([as(gateway, "twice"), as(gateway, "twice")]);
    await gateway.post(chat.path, "{", { "x-agent-id": "never-admitted" });
    expect(
      gateway.reader
        .agents()
        .map(({ agent_key }) => agent_key)
        .sort(),
    ).toEqual(["twice", "unlucky"]);
    await gateway.stop("keep files");
    gateway = await start("starter", dataDir);
    for (const [agent, status] of [
      ["third", 200],
      ["fourth", 402],
      ["unlucky", 200],
    ] as const) {
      expect((await as(gateway, agent, liveKey)).status).toBe(status);
    }
    await gateway.stop();
  });

  it("LIM-017 after a downgrade existing agents keep working, and none is added", async () => {
    const gateway = await start("lite");
    for (const agent of ["a", "b", "c", "d", "e"]) await as(gateway, agent);
    await gateway.store.updateOrganization(gateway.orgId, { tier: "starter" });
    const limitNow = async () => (await gateway.post(chat.path, "{")).headers.get("ratelimit-limit");
    await eventually("the gateway has heard of it", async () => (await limitNow()) === "10");
    expect((await as(gateway, "f")).status).toBe(402);
    expect((await as(gateway, "e")).status).toBe(200);
    await gateway.stop();
  });

  it("GW-045 agents of test calls are separate, and do not count against the limit", async () => {
    const gateway = await start("starter");
    for (const agent of ["x", "y", "z"]) expect((await as(gateway, agent, gateway.testKey)).status).toBe(200);
    for (const agent of ["a", "b", "c"]) expect((await as(gateway, agent)).status).toBe(200);
    const modes = gateway.reader.agents().map(({ mode, agent_key }) => `${mode} ${agent_key}`);
    expect(modes.sort()).toEqual(["live a", "live b", "live c", "test x", "test y", "test z"]);
    await gateway.stop();
  });
});

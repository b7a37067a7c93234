import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { chat } from "../../support/clients/call-endpoints.ts";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import {
  printedKeys,
  type RunningTollgate,
  startTollgate,
} from "../../support/processes/tollgate-process.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const dataDir = temporaryFolder()("data");
let tollgate: RunningTollgate;
let key: string;
beforeAll(async () => {
  tollgate = startTollgate(dataDir);
  await tollgate.ready();
  key = printedKeys(tollgate.stdout).test[0] ?? "";
});
afterAll(() => tollgate.stop());

async function api(method: string, path: string, body?: unknown) {
  const answer = await fetch(`${tollgate.addressOf("web")}/api/${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  });
  return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
}

async function call(agent: string) {
  const answer = await fetch(`${tollgate.addressOf("gateway")}${chat.path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "x-provider-key": "k",
      "x-agent-id": agent,
      "content-type": "application/json",
    },
    body: JSON.stringify(chat.body),
  });
  return { status: answer.status, text: await answer.text() };
}

async function agentId(agentKey: string): Promise<string> {
  const { agents } = (await api("GET", "agents")).json as { agents: { id: string; agent_key: string }[] };
  return agents.find(agent => agent.agent_key === agentKey)?.id ?? "";
}

describe("pause_agent", () => {
  it("ALERT-017 stops one agent at the gateway after the call that crossed the threshold, until it is resumed", async () => {
    for (const agent of ["spender", "other"]) expect((await call(agent)).status).toBe(200);
    await eventually("the agents are known", async () => (await agentId("spender")) !== "");
    const agent_id = await agentId("spender");
    // Any further call crosses it, because the first one cost something.
    const rule = { agent_id, metric: "daily_cost", threshold_value: 0.00001, action: "pause_agent" };
    const set = await api("POST", "alerts/thresholds", rule);
    expect(set).toMatchObject({ status: 200, json: { ...rule, id: expect.any(String) } });

    await eventually("the agent is stopped", async () => (await call("spender")).status === 403);
    const refused = await call("spender");
    expect(JSON.parse(refused.text)).toEqual({ error: expect.stringContaining("paused") });
    expect((await call("other")).status).toBe(200);

    const { alerts } = (await api("GET", "alerts?type=cost_spike")).json as { alerts: unknown[] };
    expect(alerts).toMatchObject([
      {
        severity: "critical",
        agent_id,
        metadata: { kind: "daily_cost", action: "pause_agent", threshold_id: set.json.id },
      },
    ]);
    expect((await api("POST", `agents/${agent_id}/resume`)).status).toBe(200);
    await eventually("the agent calls again", async () => (await call("spender")).status === 200);
    expect((await call("spender")).status).toBe(200);
  });
});

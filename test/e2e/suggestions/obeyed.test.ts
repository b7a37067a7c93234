import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { createClient } from "@tollgate/sdk/client";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import {
  printedKeys,
  type RunningTollgate,
  startTollgate,
} from "../../support/processes/tollgate-process.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const folder = temporaryFolder();
let tollgate: RunningTollgate;
let key: string;
let client: ReturnType<typeof createClient>;

beforeAll(async () => {
  tollgate = startTollgate(folder("data"));
  await tollgate.ready();
  key = printedKeys(tollgate.stdout).test[0] ?? "";
  client = createClient({ baseUrl: tollgate.addressOf("web"), apiKey: key, retries: 0 });
});
afterAll(() => tollgate.stop());

async function post(path: string, body: unknown, agent: string): Promise<Response> {
  const answer = await fetch(tollgate.addressOf("gateway") + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "x-provider-key": "provider-key",
      "x-agent-id": agent,
      "content-type": "application/json",
    },
    body: JSON.stringify(body),
  });
  await answer.text();
  expect(answer.status).toBe(200);
  return answer;
}

const call = (agent: string, content: string) =>
  post("/v1/chat/completions", { model: "gpt-4o", messages: [{ role: "user", content }] }, agent);

async function eventOf(answer: Response) {
  const id = answer.headers.get("x-gateway-event-id") ?? "";
  const seen = async () => {
    const { events } = await client.call("events.list", { limit: 100 });
    return events.some(event => event.id === id);
  };
  await eventually("the read model has the event", seen);
  return client.call("events.get", { id });
}

/** Waits until a type is suggested for the agent, and returns the agent's id. */
async function suggested(agentKey: string, type: string): Promise<string> {
  let id = "";
  await eventually(`${type} is suggested`, async () => {
    const { suggestions } = await client.call("suggestions.list", {});
    const found = suggestions.find(one => one.type === type && one.agent_name === agentKey && one.one_click);
    id = found?.agent_id ?? "";
    return found !== undefined;
  });
  return id;
}

describe("applied optimizations at the gateway", () => {
  it("OPT-005 a model_switch sends the agent's next calls to the new model, shows the saving, and is undone", async () => {
    for (let n = 0; n < 25; n++) await call("clerk", `question ${n}`);
    const id = await suggested("clerk", "model_switch");
    const { optimization } = await client.call("agents.optimizations.apply", {
      id,
      optimization_type: "model_switch",
    });
    const target = String(optimization.payload.model);

    // Providers answer with a snapshot of the requested model (`gpt-4.1-nano-2025-04-14`).
    const servedModel = (answer: Response) => answer.headers.get("x-gateway-model") ?? "gpt-4o";
    const askedFor = /^gpt-4o(-20\d\d-\d\d-\d\d)?$/;
    const isSwitched = async () => servedModel(await call("clerk", "again")).startsWith(target);
    expect(target).not.toMatch(askedFor);
    await eventually("the gateway obeys", isSwitched);
    const answer = await call("clerk", "and again");
    expect(servedModel(answer)).toStartWith(target);
    const { requested_model, model } = await eventOf(answer);
    expect([requested_model, model]).toEqual(["gpt-4o", target]);
    expect(servedModel(await call("another", "hello"))).toMatch(askedFor);

    // Exactly: the cost of the switched calls as gpt-4o ($2.50 and $10.00), minus their actual cost.
    await eventually("the dashboard shows the saving", async () => {
      const { events } = await client.call("events.list", { agent_id: id, limit: 100 });
      const switched = events.filter(event => event.model === target);
      const saved = switched.reduce(
        (sum, event) => sum + event.input_tokens * 25 + event.output_tokens * 100 - event.cost_microcents,
        0,
      );
      const [applied] = (await client.call("dashboard.get", {})).optimization.applied;
      return (
        switched.length >= 2 && applied?.calls_since === switched.length && applied.saved_microcents === saved
      );
    });

    await client.call("agents.optimizations.undo", { id, optimization_id: optimization.id });
    await eventually("the gateway is back", async () => !(await isSwitched()));
    expect(servedModel(await call("clerk", "as before"))).toMatch(askedFor);
  });

  it("OPT-006 token_guardrails limits the agent's next answers, to the limit in the payload", async () => {
    // The simulator has no outliers, so past calls are reported instead.
    const reported = (count: number, output_tokens: number) =>
      Array.from({ length: count }, () => ({
        model: "gpt-4.1-nano",
        agent_id: "poet",
        input_tokens: 10,
        output_tokens,
      }));
    await post("/v1/events", { events: [...reported(60, 200), ...reported(1, 30_000)] }, "poet");
    const id = await suggested("poet", "token_guardrails");
    const prompt = "write me as long a poem as you can";
    const before = await eventOf(await call("poet", prompt));
    const bound = 3;
    expect(before.output_tokens).toBeGreaterThan(bound);

    const { optimization } = await client.call("agents.optimizations.apply", {
      id,
      optimization_type: "token_guardrails",
      payload: { max_output_tokens: bound },
    });
    await eventually(
      "the gateway applies it",
      async () => (await eventOf(await call("poet", prompt))).output_tokens <= bound,
    );
    await client.call("agents.optimizations.undo", { id, optimization_id: optimization.id });
    await eventually(
      "the gateway is back",
      async () => (await eventOf(await call("poet", prompt))).output_tokens > bound,
    );
  });
});

import { expect, it } from "bun:test";
import { createClient } from "@tollgate/sdk/client";
import { chat } from "../../support/clients/call-endpoints.ts";
import { temporaryFolder } from "../../support/labs/temporary-folder.ts";
import { startInTest } from "../../support/processes/start-in-test.ts";
import { printedKeys } from "../../support/processes/tollgate-process.ts";
import { eventually } from "../../support/waiting/eventually.ts";
import { otlpRequest, otlpSpan } from "../ingestion/otlp-span.ts";

const folder = temporaryFolder();
const start = startInTest();
let starts = 0;

/** Both planes, with test-mode calls and their events from the web API. */
async function startPlanes() {
  const tollgate = start(folder(`data-${starts++}`));
  const gateway = await tollgate.ready();
  const apiKey = printedKeys(tollgate.stdout).test[0] ?? "";
  const client = createClient({ baseUrl: tollgate.addressOf("web"), apiKey });
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(gateway + path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${apiKey}`,
        "x-provider-key": "k",
        "content-type": "application/json",
        ...headers,
      },
      body: JSON.stringify(body),
    });
  /** The event of a call, from the web API. */
  const eventOf = async (body: Record<string, unknown>, headers: Record<string, string> = {}) => {
    const answer = await post(chat.path, { ...chat.body, ...body }, headers);
    await answer.text();
    return shown(answer.headers.get("x-gateway-event-id") ?? "none");
  };
  const shown = async (id: string) => {
    let found: Awaited<ReturnType<typeof listed>>;
    await eventually(`event ${id} is listed`, async () => {
      found = await listed(id);
      return found !== undefined;
    });
    if (found === undefined) throw new Error("it is not listed");
    return found;
  };
  const listed = async (id: string) =>
    (await client.call("events.list")).events.find(event => event.id === id);
  return { client, post, eventOf, shown };
}

const says = (content: string) => ({ messages: [{ role: "user", content }] });

it("GW-040 GET /api/events shows all twelve further fields with their actual values; GW-042 GET /api/agents lists an agent after its first call", async () => {
  const { client, post, eventOf, shown } = await startPlanes();
  const before = Date.now();
  const plain = await eventOf({});
  expect(plain).toMatchObject({
    endpoint: chat.path,
    stream: false,
    ttft_ms: null,
    http_status: 200,
    error_code: null,
    source: "gateway",
    experiment_id: null,
    arm: null,
    budget_flags: null,
  });
  expect(plain.request_hash).toMatch(/^[\da-f]{16,}$/);
  expect(Date.parse(plain.created_at)).toBeWithin(before, Date.now() + 1);

  const streamed = await eventOf({ stream: true });
  expect(streamed).toMatchObject({ stream: true, ttft_ms: expect.any(Number), http_status: 200 });
  // Equal prompts have equal hashes, different prompts different ones.
  const [again, other] = [await eventOf({}), await eventOf(says("Something else"))];
  expect([again.request_hash === plain.request_hash, other.request_hash === plain.request_hash]).toEqual([
    true,
    false,
  ]);
  // The hash of a conversation's prefix differs from that of the whole.
  const turn = (last: string) => ({
    messages: [{ role: "system", content: "Be brief. ".repeat(400) }, ...says(last).messages],
  });
  const [first, second] = [await eventOf(turn("one")), await eventOf(turn("two"))];
  expect(first.prefix_hash).toMatch(/^[\da-f]{16,}$/);
  expect([first.prefix_hash === second.prefix_hash, first.request_hash === second.request_hash]).toEqual([
    true,
    false,
  ]);

  const failed = await eventOf(says("tollgate:simulate=rate_limit"));
  expect(failed).toMatchObject({ status: "error", http_status: 429, error_code: expect.any(String) });

  const sent = { id: "sent", model: "gpt-4o-mini", input_tokens: 10, output_tokens: 5 };
  expect((await post("/v1/events", { events: [sent] })).status).toBe(200);
  expect(await shown("sent")).toMatchObject({ source: "ingest" });
  const attributes = {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "gpt-4o-mini",
    "gen_ai.response.id": "told",
    "gen_ai.usage.input_tokens": 10,
    "gen_ai.usage.output_tokens": 5,
  };
  expect((await post("/v1/traces", otlpRequest(otlpSpan(attributes)))).status).toBe(200);
  await eventually("the span is listed", async () =>
    (await client.call("events.list")).events.some(({ source }) => source === "otlp"),
  );

  const agent = { "x-agent-id": "tried" };
  await eventOf({}, agent);
  const { agents } = await client.call("agents.list");
  expect(agents.map(({ agent_key }) => agent_key).sort()).toEqual(["default", "tried"]);
  const agentId = agents.find(({ agent_key }) => agent_key === "tried")?.id ?? "";
  const experiment = await client.call("experiments.create", {
    agent_id: agentId,
    name: "another model",
    treatment_model: "gpt-4o",
    traffic_pct: 50,
  });
  const budget = await client.call("budgets.create", {
    agent_id: agentId,
    period: "daily",
    limit_microcents: 1,
    enforcement_mode: "soft_block",
  });
  await eventually("a call is flagged and in an arm", async () => {
    const { experiment_id, arm, budget_flags } = await eventOf({}, agent);
    return (
      experiment_id === experiment.id &&
      (arm === "control" || arm === "treatment") &&
      JSON.stringify(budget_flags) === JSON.stringify([`soft_block:${budget.id}`])
    );
  });
});

it("shows a call's X-Config-Version in events and in config versions", async () => {
  const { client, eventOf } = await startPlanes();
  for (const version of ["prompt v1", "prompt v1", "prompt V1", ""]) {
    const event = await eventOf({}, { "x-config-version": version });
    expect(event.config_version).toBe(version || null);
  }
  const { events } = await client.call("events.list", { config_version: "prompt v1" });
  expect(events).toHaveLength(2);
  const { config_versions } = await client.call("config_versions.list");
  const counts = config_versions.map(({ config_version, call_count }) => [config_version, call_count]);
  expect(counts).toContainEqual(["prompt v1", 2]);
  expect(counts).toContainEqual(["prompt V1", 1]);
});

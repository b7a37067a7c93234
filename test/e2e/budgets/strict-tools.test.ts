import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { parsePriceOverrides } from "@tollgate/core/pricing/overrides";
import { startTestGateway, type TestGateway } from "../../support/labs/test-gateway.ts";
import { budgetRow } from "../../support/rows/budget-row.ts";
import { type ServedProvider, serveProvider } from "../../support/servers/serve-provider.ts";

const WINDOW = 1000;
const priceOverrides = parsePriceOverrides(
  (["anthropic", "openai"] as const).map(provider => ({
    provider,
    model: `looping-${provider}`,
    context_window: WINDOW,
    input_per_million_cents: 10_000,
    output_per_million_cents: 50_000,
  })),
);

/** Providers that use every tool as often as allowed, and read the whole window again after each use. */
function answerAnthropic(body: Record<string, unknown>): Response {
  const [tool] = body.tools as { max_uses?: number }[];
  const uses = tool?.max_uses ?? 50;
  return Response.json({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: body.model,
    content: [{ type: "text", text: "found" }],
    stop_reason: "end_turn",
    usage: {
      input_tokens: (uses + 1) * WINDOW,
      output_tokens: body.max_tokens,
      server_tool_use: { web_search_requests: uses },
    },
  });
}

function answerOpenai(body: Record<string, unknown>): Response {
  const uses = typeof body.max_tool_calls === "number" ? body.max_tool_calls : 50;
  const output = Number(body.max_output_tokens);
  return Response.json({
    id: "resp_1",
    object: "response",
    model: body.model,
    status: "completed",
    output: Array.from({ length: uses }, (_, index) => ({
      type: "web_search_call",
      id: `ws_${index}`,
      status: "completed",
      action: { type: "search" },
    })),
    usage: {
      input_tokens: (uses + 1) * WINDOW,
      output_tokens: output,
      total_tokens: (uses + 1) * WINDOW + output,
    },
  });
}

let gateway: TestGateway;
let anthropic: ServedProvider;
let openai: ServedProvider;
let agents = 0;
let aheadMs = 0;
const now = () => Date.now() + aheadMs;

beforeAll(async () => {
  const serve = (id: "anthropic" | "openai", answer: (body: Record<string, unknown>) => Response) =>
    serveProvider(id, {
      records: false,
      answer: (_request, { body }) => answer(body as Record<string, unknown>),
    });
  anthropic = serve("anthropic", answerAnthropic);
  openai = serve("openai", answerOpenai);
  gateway = await startTestGateway({
    baseUrls: { anthropic: anthropic.url, openai: openai.url },
    priceOverrides,
    budgetPatienceMs: 60_000,
    now,
  });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([anthropic.stop(), openai.stop()]);
});

async function strictAgent(limit: number): Promise<string> {
  const agent = `tools-${agents++}`;
  const row = budgetRow(gateway.orgId, { agent, limit, strict: true }, now());
  await gateway.store.database.db.insertInto("budgets").values(row).execute();
  // The gateway checks for changes every 50 ms.
  aheadMs += 60;
  return agent;
}

const search = { type: "web_search_20250305", name: "web_search" };
const ask = (agent: string, more: Record<string, unknown>) =>
  gateway.post(
    "/v1/messages",
    { model: "looping-anthropic", max_tokens: 100, messages: [{ role: "user", content: "x" }], ...more },
    { "x-agent-id": agent },
  );
const askOpenai = (agent: string, more: Record<string, unknown>) =>
  gateway.post(
    "/v1/responses",
    { model: "looping-openai", max_output_tokens: 100, input: "x", ...more },
    { "x-agent-id": agent },
  );
const spentBy = (agent: string) =>
  gateway
    .events()
    .filter(event => event.agent_key === agent)
    .reduce((sum, event) => sum + event.cost_microcents, 0);

describe("a strict budget and the provider's own tools", () => {
  for (const [provider, herd] of [
    ["anthropic", (agent: string) => ask(agent, { tools: [{ ...search, max_uses: 5 }] })],
    ["openai", (agent: string) => askOpenai(agent, { tools: [{ type: "web_search" }], max_tool_calls: 5 })],
  ] as const) {
    it(`BUD-017 holds for thirty concurrent calls whose searches are billed individually: ${provider}`, async () => {
      const limit = 60_000_000;
      const agent = await strictAgent(limit);
      const answers = await Promise.all(Array.from({ length: 30 }, () => herd(agent)));
      const statuses = answers.map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([200, 429]));
      expect(spentBy(agent)).toBeWithin(1, limit + 1);
    });
  }

  it("BUD-017 refuses a loop that the headroom does not cover, and sends nothing", async () => {
    const agent = await strictAgent(8_000_000);
    const asked = anthropic.count;
    const answer = await ask(agent, { tools: [{ ...search, max_uses: 50 }] });
    expect([answer.status, anthropic.count]).toEqual([429, asked]);
  });

  it("BUD-017 refuses unbounded tools, sends nothing, and names the field to set", async () => {
    const agent = await strictAgent(1_000_000_000_000);
    const asked = anthropic.count + openai.count;
    for (const [answer, field] of [
      [await ask(agent, { tools: [search] }), "max_uses"],
      [await askOpenai(agent, { tools: [{ type: "web_search" }] }), "max_tool_calls"],
    ] as const) {
      expect(answer.status).toBe(429);
      expect(await answer.json()).toEqual({
        error: expect.stringContaining(field),
        limit: 1_000_000_000_000,
        current_spending: 0,
        retry_at: expect.any(String),
      });
    }
    expect(anthropic.count + openai.count).toBe(asked);
    expect((await ask(agent, { tools: [{ ...search, max_uses: 1 }] })).status).toBe(200);
  });
});

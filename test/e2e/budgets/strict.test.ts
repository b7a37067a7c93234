import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { parsePriceOverrides } from "@tollgate/core/pricing/overrides";
import { type BudgetLab, costOf, flatPrice, startBudgetLab } from "../../support/labs/budget-lab.ts";
import { startTestGateway } from "../../support/labs/test-gateway.ts";
import { budgetRow } from "../../support/rows/budget-row.ts";
import { serveProvider } from "../../support/servers/serve-provider.ts";
import { chatFrame } from "../../support/servers/serve-wishes.ts";

let lab: BudgetLab;
beforeAll(async () => {
  lab = await startBudgetLab();
});
afterAll(() => lab.stop());

let agents = 0;
async function strictAgent(limit: number): Promise<{ agent: string; id: string }> {
  const agent = `strict-${agents++}`;
  const id = await lab.addBudget({ agent, limit, strict: true });
  lab.learn();
  return { agent, id };
}

describe("a strict budget", () => {
  it("BUD-017 limits the provider's output to what the headroom pays for, in the field that the client uses", async () => {
    const { agent } = await strictAgent(100_000);
    for (const [body, field, other] of [
      [{ max_tokens: 100_000 }, "max_tokens", "max_completion_tokens"],
      [{ max_completion_tokens: 100_000 }, "max_completion_tokens", "max_tokens"],
    ] as const) {
      await lab.call({ tokens: 1 }, { agent, body });
      const sent = lab.sent.at(-1) ?? {};
      // A hundred microcents per token, and some for the prompt.
      expect(sent[field]).toBeWithin(900, 1000);
      expect(sent[other]).toBeUndefined();
    }
    await lab.call({ tokens: 1 }, { agent });
    expect(lab.sent.at(-1)?.max_completion_tokens).toBeWithin(900, 1000);
    await lab.call({ tokens: 1 }, { agent, body: { max_tokens: 100_000, n: 4 } });
    expect(lab.sent.at(-1)?.max_tokens).toBeWithin(220, 250);
  });

  it("BUD-017 does not change a request whose own limit fits", async () => {
    const { agent } = await strictAgent(1_000_000);
    await lab.call({ tokens: 1 }, { agent, body: { max_tokens: 7 } });
    expect(lab.sent.at(-1)?.max_tokens).toBe(7);
  });

  it("BUD-017 refuses if not even a small answer fits, and sends nothing", async () => {
    const { agent } = await strictAgent(costOf(10));
    const sent = lab.sent.length;
    const refused = await lab.call({ tokens: 1 }, { agent });
    expect([refused.status, JSON.parse(refused.text).current_spending]).toEqual([429, 0]);
    expect(lab.sent.length).toBe(sent);
  });

  it("BUD-017 refuses a model without a price, whose cost is unbounded, and sends nothing", async () => {
    const { agent } = await strictAgent(1_000_000);
    const sent = lab.sent.length;
    const refused = await lab.call({ tokens: 1 }, { agent, body: { model: "gpt-99-unpriced" } });
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBeNull();
    expect(JSON.parse(refused.text)).toMatchObject({ limit: 1_000_000, current_spending: 0 });
    expect(refused.text).toContain("a strict budget cannot bound the cost of a model without a price");
    expect(lab.sent.length).toBe(sent);
    expect((await lab.call({ tokens: 1 }, { agent })).status).toBe(200);
  });

  it("admits a model without a price if the budget does not block", async () => {
    for (const enforcement of ["alert_only", "soft_block"] as const) {
      const agent = `strict-${agents++}`;
      await lab.addBudget({ agent, limit: 1_000_000, strict: true, enforcement });
      lab.learn();
      const answer = await lab.call({ tokens: 1 }, { agent, body: { model: "gpt-99-unpriced" } });
      expect(answer.status).toBe(200);
    }
  });

  const png = "iVBORw0KGgo=";
  const dataUrl = `data:image/png;base64,${png}`;
  const source = { type: "base64", media_type: "image/png", data: png };
  for (const [what, path, model, part] of [
    ["a picture", "/v1/chat/completions", "flat", { type: "image_url", image_url: { url: dataUrl } }],
    [
      "an image for anthropic",
      "/v1/chat/completions",
      "flat-claude",
      { type: "image_url", image_url: { url: dataUrl } },
    ],
    [
      "sound",
      "/v1/chat/completions",
      "flat",
      { type: "input_audio", input_audio: { data: png, format: "wav" } },
    ],
    [
      "a file",
      "/v1/chat/completions",
      "flat",
      { type: "file", file: { filename: "a.pdf", file_data: dataUrl } },
    ],
    ["a picture in messages", "/v1/messages", "flat-claude", { type: "image", source }],
    ["a picture in responses", "/v1/responses", "flat", { type: "input_image", image_url: dataUrl }],
  ] as const) {
    it(`BUD-017 counts content other than text as the model's whole window, not by its bytes: ${what}`, async () => {
      // The window of these models is unknown: two million tokens at ten microcents.
      const { agent } = await strictAgent(20_000_000);
      const messages = [{ role: "user", content: [part] }];
      const body = path === "/v1/responses" ? { input: messages } : { messages, max_tokens: 100 };
      const sent = lab.sent.length;
      const answer = await lab.gateway.post(path, { model, ...body }, { "x-agent-id": agent });
      expect(answer.status).toBe(429);
      expect(lab.sent.length).toBe(sent);
    });
  }

  it("BUD-017 sends no more than the client's limit if a translated request asks to think, too", async () => {
    const provider = serveProvider("anthropic");
    const gateway = await startTestGateway({ baseUrls: { anthropic: provider.url } });
    const budget = budgetRow(
      gateway.orgId,
      { agent: "a", limit: 500_000_000, strict: true },
      Date.now() - 1000,
    );
    await gateway.store.database.db.insertInto("budgets").values(budget).execute();
    const send = async (model: string, max_tokens = 500) => {
      const body = { model, max_tokens, reasoning_effort: "high", messages: [message] };
      await (await gateway.post("/v1/chat/completions", body, { "x-agent-id": "a" })).text();
      return provider.requests.at(-1)?.body;
    };
    const fixed = await send("claude-sonnet-4-5");
    expect(fixed).toMatchObject({ max_tokens: 500 });
    expect(fixed).not.toHaveProperty("thinking");
    // Thinks within its limit.
    expect(await send("claude-sonnet-4-5", 5000)).toMatchObject({
      max_tokens: 5000,
      thinking: { type: "enabled", budget_tokens: 4096 },
    });
    expect(await send("claude-opus-4-6")).toMatchObject({ max_tokens: 500, thinking: { type: "adaptive" } });
    await gateway.stop();
    await provider.stop();
  });

  it("BUD-017 holds if the provider serves a call at a more expensive tier than requested", async () => {
    // The provider generates as much as allowed, at priority: twice the price.
    const provider = serveProvider("openai", {
      records: false,
      answer(_request, { body }) {
        const { max_tokens: most } = body as { max_tokens: number };
        return Response.json({
          id: "chatcmpl-1",
          object: "chat.completion",
          created: 1,
          model: "gpt-5-flat",
          service_tier: "priority",
          choices: [{ index: 0, message: { role: "assistant", content: "x" }, finish_reason: "length" }],
          usage: { prompt_tokens: 10, completion_tokens: most, total_tokens: 10 + most },
        });
      },
    });
    const gateway = await startTestGateway({
      baseUrls: { openai: provider.url },
      priceOverrides: parsePriceOverrides([
        {
          provider: "openai",
          model: "gpt-5-flat",
          input_per_million_cents: 100,
          output_per_million_cents: 1000,
        },
      ]),
    });
    const limit = 100_000;
    const asking = { none: {}, auto: { service_tier: "auto" }, flex: { service_tier: "flex" } };
    const budgets = Object.keys(asking).map(agent =>
      budgetRow(gateway.orgId, { agent, limit, strict: true }, Date.now() - 1000),
    );
    await gateway.store.database.db.insertInto("budgets").values(budgets).execute();
    for (const [agent, asked] of Object.entries(asking)) {
      const body = { model: "gpt-5-flat", messages: [message], max_tokens: 100_000, ...asked };
      const answer = await gateway.post("/v1/chat/completions", body, { "x-agent-id": agent });
      expect(answer.status).toBe(200);
      await answer.text();
      const cost = gateway.events().at(-1)?.cost_microcents;
      expect(cost).toBeWithin(limit * 0.9, limit + 1);
    }
    await gateway.stop();
    await provider.stop();
  });
});

/** Endlessly sends one token per frame, whatever the request says. */
function endless(frame: (count: number) => string, head = "") {
  return serveProvider("openai", {
    records: false,
    answer() {
      let count = 0;
      const encoder = new TextEncoder();
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          if (count === 0 && head) controller.enqueue(encoder.encode(head));
          for (let more = 0; more < 20; more++) controller.enqueue(encoder.encode(frame(count++)));
          await Bun.sleep(1);
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  });
}

const message = { role: "user", content: "hello" };
const claudeHead = `event: message_start\ndata: ${JSON.stringify({
  type: "message_start",
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "flat-claude",
    content: [],
    stop_reason: null,
    usage: { input_tokens: 10, output_tokens: 1 },
  },
})}\n\nevent: content_block_start\ndata: ${JSON.stringify({
  type: "content_block_start",
  index: 0,
  content_block: { type: "text", text: "" },
})}\n\n`;
const claudeFrame = () =>
  `event: content_block_delta\ndata: ${JSON.stringify({
    type: "content_block_delta",
    index: 0,
    delta: { type: "text_delta", text: "word" },
  })}\n\n`;
const responsesFrame = () =>
  `event: response.output_text.delta\ndata: ${JSON.stringify({
    type: "response.output_text.delta",
    item_id: "msg_1",
    output_index: 0,
    content_index: 0,
    delta: "word",
  })}\n\n`;

describe("a stream that exceeds a strict budget", () => {
  const routes = [
    ["chat", "/v1/chat/completions", { model: "flat", messages: [message] }, () => chatFrame("word"), ""],
    [
      "chat of anthropic",
      "/v1/chat/completions",
      { model: "flat-claude", messages: [message] },
      claudeFrame,
      claudeHead,
    ],
    [
      "messages",
      "/v1/messages",
      { model: "flat-claude", max_tokens: 100_000, messages: [message] },
      claudeFrame,
      claudeHead,
    ],
    [
      "messages of openai",
      "/v1/messages",
      { model: "flat", max_tokens: 100_000, messages: [message] },
      () => chatFrame("word"),
      "",
    ],
    ["responses", "/v1/responses", { model: "flat", input: "hello" }, responsesFrame, ""],
  ] as const;
  const limit = 50_000;

  for (const [name, path, body, frame, head] of routes) {
    it(`BUD-017 REL-001 is cut with an error frame that clients of its dialect understand: ${name}`, async () => {
      const provider = endless(frame, head);
      const gateway = await startTestGateway({
        baseUrls: { openai: provider.url, anthropic: provider.url },
        priceOverrides: flatPrice,
      });
      const { db } = gateway.store.database;
      const budget = budgetRow(gateway.orgId, { limit, strict: true }, Date.now() - 1000);
      await db.insertInto("budgets").values(budget).execute();
      const answer = await gateway.post(path, { ...body, stream: true });
      expect(answer.status).toBe(200);
      const text = await answer.text();
      const [event, ...more] = gateway.events();
      expect(more).toEqual([]);
      expect(event).toMatchObject({ status: "error", error_code: "budget_exceeded" });
      expect(event?.cost_microcents).toBeWithin(limit * 0.9, limit + 1);
      const frames = text.trimEnd().split("\n\n");
      const last = frames.findLast(one => !one.includes("[DONE]")) ?? "";
      const data = JSON.parse(/^data: (.*)$/m.exec(last)?.[1] ?? "");
      expect(JSON.stringify(data)).toContain("strict budget");
      expect(path === "/v1/responses" ? data.type : typeof data.error).toBe(
        path === "/v1/responses" ? "error" : "object",
      );
      expect((await gateway.post(path, { ...body, stream: true })).status).toBe(429);
      await gateway.stop();
      await provider.stop();
    });
  }
});

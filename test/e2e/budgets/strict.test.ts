import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { serveProvider } from "@tollgate/simulator/serve-provider";
import { startTestGateway } from "../../support/test-gateway.ts";
import { type BudgetBench, budgetRow, costOf, flatPrice, startBudgetBench } from "./budget-bench.ts";
import { chatFrame } from "./serve-wishes.ts";

let bench: BudgetBench;
beforeAll(async () => {
  bench = await startBudgetBench();
});
afterAll(() => bench.stop());

let agents = 0;
async function strictAgent(limit: number): Promise<{ agent: string; id: string }> {
  const agent = `strict-${agents++}`;
  const id = await bench.addBudget({ agent, limit, strict: true });
  bench.learn();
  return { agent, id };
}

describe("a strict budget", () => {
  it("BUD-017 tells the provider to say no more than the money left pays for, in the field that the client uses", async () => {
    const { agent } = await strictAgent(100_000);
    for (const [body, field, other] of [
      [{ max_tokens: 100_000 }, "max_tokens", "max_completion_tokens"],
      [{ max_completion_tokens: 100_000 }, "max_completion_tokens", "max_tokens"],
    ] as const) {
      await bench.call({ tokens: 1 }, { agent, body });
      const sent = bench.sent.at(-1) ?? {};
      // A hundred microcents a token, and some for the prompt.
      expect(sent[field]).toBeWithin(900, 1000);
      expect(sent[other]).toBeUndefined();
    }
    await bench.call({ tokens: 1 }, { agent });
    expect(bench.sent.at(-1)?.max_completion_tokens).toBeWithin(900, 1000);
    await bench.call({ tokens: 1 }, { agent, body: { max_tokens: 100_000, n: 4 } });
    expect(bench.sent.at(-1)?.max_tokens).toBeWithin(220, 250);
  });

  it("BUD-017 leaves a request alone whose own limit fits", async () => {
    const { agent } = await strictAgent(1_000_000);
    await bench.call({ tokens: 1 }, { agent, body: { max_tokens: 7 } });
    expect(bench.sent.at(-1)?.max_tokens).toBe(7);
  });

  it("BUD-017 refuses when not even a small answer fits, and calls nobody", async () => {
    const { agent } = await strictAgent(costOf(10));
    const sent = bench.sent.length;
    const refused = await bench.call({ tokens: 1 }, { agent });
    expect([refused.status, JSON.parse(refused.text).current_spending]).toEqual([429, 0]);
    expect(bench.sent.length).toBe(sent);
  });
});

/** Says one token a frame, for ever, whatever it was asked for. */
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

describe("a stream that outruns a strict budget", () => {
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

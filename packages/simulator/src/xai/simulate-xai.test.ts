import { afterAll, describe, expect, it } from "bun:test";
import type { JsonObject } from "@tollgate/core/wire/json-fields";
import OpenAI from "openai";
import { serveProvider } from "../../../../test/support/servers/serve-provider.ts";
import { simulatedRequest } from "../../../../test/support/servers/simulated-request.ts";
import { objectOf } from "../json-object.ts";
import { simulate } from "../simulate.ts";

const served = serveProvider("xai");
afterAll(() => served.stop());
const client = new OpenAI({ baseURL: `${served.url}/v1`, apiKey: "k", maxRetries: 0 });
const usageOf = async (model: string): Promise<JsonObject> => {
  const response = await simulate("xai", simulatedRequest("xai", "Hi", { model }), { paceMs: 0 });
  return objectOf(objectOf(await response.json()).usage);
};

/** The clients' promises are lazy: only `then` starts them, and `expect(…).rejects` does not call it. */
const failureOf = (call: PromiseLike<unknown>): PromiseLike<unknown> =>
  call.then(
    () => null,
    (error: unknown) => error,
  );

describe("the simulated xai", () => {
  it("counts reasoning outside the completion tokens, and states the exact amount billed", async () => {
    const usage = await usageOf("grok-3-mini");
    const [input, visible, total] = [usage.prompt_tokens, usage.completion_tokens, usage.total_tokens].map(
      Number,
    );
    const reasoning = Number(objectOf(usage.completion_tokens_details).reasoning_tokens);
    expect(reasoning).toBeGreaterThan(0);
    expect(total).toBe((input ?? 0) + (visible ?? 0) + reasoning);
    expect(usage.cost_in_usd_ticks).toBe((input ?? 0) * 3_000 + ((visible ?? 0) + reasoning) * 5_000);
  });

  it("does not reason if the model does not", async () => {
    const usage = await usageOf("grok-4-fast-non-reasoning");
    expect(usage.completion_tokens_details).toMatchObject({ reasoning_tokens: 0 });
  });

  it("sends reasoning beside the text, and each tool call complete in one chunk", async () => {
    const tool = (name: string) => ({
      type: "function" as const,
      function: { name, parameters: { type: "object", properties: { city: { type: "string" } } } },
    });
    const stream = await client.chat.completions.create({
      model: "grok-3-mini",
      messages: [{ role: "user", content: "Weather in Paris?" }],
      tools: [tool("weather"), tool("clock")],
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await Array.fromAsync(stream);
    const deltas = chunks.flatMap(chunk => chunk.choices.map(choice => choice.delta));
    expect(deltas.some(delta => "reasoning_content" in delta)).toBe(true);
    const calls = deltas.flatMap(delta => delta.tool_calls ?? []);
    expect(calls.map(call => [call.index, call.function?.name, call.function?.arguments])).toEqual([
      [0, "weather", '{"city":"Paris"}'],
      [1, "clock", '{"city":"Paris"}'],
    ]);
    expect(chunks.at(-1)?.usage?.total_tokens).toBeGreaterThan(0);
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("tool_calls");
  });

  it("counts reasoning inside the output tokens of a response", async () => {
    const plain = await client.responses.create({ model: "grok-4", input: "Hello" });
    const streamed = await client.responses.stream({ model: "grok-4", input: "Hello" }).finalResponse();
    expect(streamed.output_text).toBe(plain.output_text);
    const usage = plain.usage;
    expect(usage?.total_tokens).toBe((usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0));
    expect(usage).toHaveProperty("cost_in_usd_ticks");
    expect((await client.responses.retrieve(plain.id)).id).toBe(plain.id);
  });

  it("rejects parameters unknown to its reasoning models, and a result without its call", async () => {
    const user = { role: "user" as const, content: "Hi" };
    const bodies = [
      { model: "grok-4", messages: [user], stop: ["x"] },
      { model: "grok-4", messages: [user], presence_penalty: 1 },
      { model: "grok-3", messages: [user, { role: "tool" as const, tool_call_id: "c", content: "r" }] },
    ];
    for (const body of bodies) {
      expect(await failureOf(client.chat.completions.create(body))).toMatchObject({ status: 400 });
    }
    const plain = await client.chat.completions.create({
      model: "grok-3",
      messages: [user],
      stop: ["simulated"],
    });
    expect(plain.choices[0]?.finish_reason).toBe("stop");
  });

  it("has no embeddings", async () => {
    const asked = client.embeddings.create({ model: "grok-3-mini", input: "x" });
    expect(await failureOf(asked)).toMatchObject({ status: 404 });
  });
});

import { afterAll, describe, expect, it } from "bun:test";
import OpenAI from "openai";
import { serveProvider } from "../../../../test/support/servers/serve-provider.ts";

const served = serveProvider("openai");
afterAll(() => served.stop());
const client = new OpenAI({ baseURL: `${served.url}/v1`, apiKey: "k", maxRetries: 0 });
const ask = [{ role: "user" as const, content: "What is the weather in Paris?" }];
const weather = {
  type: "function" as const,
  function: {
    name: "weather",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};
const clock = { ...weather, function: { ...weather.function, name: "clock" } };

/** The clients' promises are lazy: only `then` starts them, and `expect(…).rejects` does not call it. */
const failureOf = (call: PromiseLike<unknown>): PromiseLike<unknown> =>
  call.then(
    () => null,
    (error: unknown) => error,
  );

describe("the official openai client", () => {
  it("reads a chat answer, its dated model and its usage", async () => {
    const answer = await client.chat.completions.create({
      model: "gpt-4o-mini",
      messages: ask,
      service_tier: "flex",
    });
    expect(answer.choices[0]?.message.content).toContain("What is the weather in Paris?");
    expect([answer.model, answer.service_tier]).toEqual(["gpt-4o-mini-2024-07-18", "flex"]);
    const { prompt_tokens: input = 0, completion_tokens: output, total_tokens: total } = answer.usage ?? {};
    expect(total).toBe(input + (output ?? 0));
  });

  it("streams the same text as the plain answer, with usage only if requested", async () => {
    const plain = await client.chat.completions.create({ model: "gpt-4o-mini", messages: ask });
    const run = client.chat.completions.stream({
      model: "gpt-4o-mini",
      messages: ask,
      stream_options: { include_usage: true },
    });
    const final = await run.finalChatCompletion();
    expect(final.choices[0]?.message.content).toBe(plain.choices[0]?.message.content ?? "");
    expect(final.usage).toEqual(plain.usage);
    const without = await client.chat.completions.create({
      model: "gpt-4o-mini",
      messages: ask,
      stream: true,
    });
    for await (const chunk of without) {
      expect(chunk.choices).toHaveLength(1);
      expect(chunk.usage).toBeUndefined();
    }
  });

  it("assembles parallel tool calls from fragments, and gets text for their results", async () => {
    const run = client.chat.completions.stream({ model: "gpt-4o", messages: ask, tools: [weather, clock] });
    const [choice] = (await run.finalChatCompletion()).choices;
    expect(choice?.finish_reason).toBe("tool_calls");
    const calls = choice?.message.tool_calls ?? [];
    const named = calls.map(
      call => call.type === "function" && [call.function.name, call.function.arguments],
    );
    expect(named).toEqual([
      ["weather", '{"city":"Paris"}'],
      ["clock", '{"city":"Paris"}'],
    ]);
    const results = calls.map(call => ({
      role: "tool" as const,
      tool_call_id: call.id,
      content: "18 degrees",
    }));
    const answer = await client.chat.completions.create({
      model: "gpt-4o",
      messages: [...ask, { role: "assistant", tool_calls: calls }, ...results],
      tools: [weather, clock],
    });
    expect(answer.choices[0]?.message.content).toContain("18 degrees");
  });

  it("parses structured output", async () => {
    const schema = {
      type: "object",
      properties: { n: { type: "integer", minimum: 5 } },
      required: ["n"],
      additionalProperties: false,
    };
    const answer = await client.chat.completions.create({
      model: "gpt-4o-mini",
      messages: ask,
      response_format: { type: "json_schema", json_schema: { name: "answer", schema, strict: true } },
    });
    expect(JSON.parse(answer.choices[0]?.message.content ?? "")).toEqual({ n: 5 });
  });

  it("sees reasoning inside the completion tokens, and a cut answer", async () => {
    const answer = await client.chat.completions.create({
      model: "gpt-5",
      messages: ask,
      reasoning_effort: "high",
    });
    const reasoning = answer.usage?.completion_tokens_details?.reasoning_tokens ?? 0;
    expect(reasoning).toBeGreaterThan(0);
    expect(answer.usage?.completion_tokens).toBeGreaterThan(reasoning);
    const cut = await client.chat.completions.create({
      model: "gpt-5",
      messages: ask,
      max_completion_tokens: 3,
    });
    expect(cut.choices[0]?.finish_reason).toBe("length");
    expect(cut.usage?.completion_tokens).toBe(3);
  });

  it("gets the requested number of choices, streamed too", async () => {
    const plain = await client.chat.completions.create({ model: "gpt-4o", messages: ask, n: 2 });
    const streamed = await client.chat.completions
      .stream({ model: "gpt-4o", messages: ask, n: 2 })
      .finalChatCompletion();
    const texts = plain.choices.map(choice => choice.message.content);
    expect(new Set(texts).size).toBe(2);
    expect(streamed.choices.map(choice => choice.message.content)).toEqual(texts);
  });

  it("reads the same embeddings as floats and base64, with the requested dimensions", async () => {
    const model = "text-embedding-3-small";
    const base64 = await client.embeddings.create({ model, input: ["one", "two"], dimensions: 8 });
    const floats = await client.embeddings.create({
      model,
      input: ["one", "two"],
      dimensions: 8,
      encoding_format: "float",
    });
    expect(base64.data.map(({ embedding }) => [...embedding])).toEqual(
      floats.data.map(({ embedding }) => embedding),
    );
    expect(base64.data[0]?.embedding).toHaveLength(8);
    expect(base64.usage).toEqual({ prompt_tokens: 2, total_tokens: 2 });
    const tokens = await client.embeddings.create({ model, input: [[1, 2, 3], [4]] });
    expect([tokens.data.length, tokens.usage.prompt_tokens, tokens.data[0]?.embedding.length]).toEqual([
      2, 4, 1536,
    ]);
  });

  it("reads a response, plain and streamed, and fetches, continues and deletes it", async () => {
    const plain = await client.responses.create({ model: "gpt-5", input: "Hello Anna" });
    expect(plain.output_text).toContain("Hello Anna");
    expect(plain.usage?.output_tokens_details.reasoning_tokens).toBeGreaterThan(0);
    const run = client.responses.stream({ model: "gpt-5", input: "Hello Anna" });
    expect((await run.finalResponse()).output_text).toBe(plain.output_text);

    const fetched = await client.responses.retrieve(plain.id);
    expect(fetched.output_text).toBe(plain.output_text);
    const items = await client.responses.inputItems.list(plain.id);
    expect(items.data).toMatchObject([{ type: "message", role: "user", content: [{ text: "Hello Anna" }] }]);
    const next = await client.responses.create({
      model: "gpt-5",
      input: "And you?",
      previous_response_id: plain.id,
    });
    expect(next.usage?.input_tokens).toBeGreaterThan(plain.usage?.input_tokens ?? 0);
    const other = new OpenAI({ baseURL: `${served.url}/v1`, apiKey: "other", maxRetries: 0 });
    expect(await failureOf(other.responses.retrieve(plain.id))).toMatchObject({ status: 404 });
    await client.responses.delete(plain.id);
    expect(await failureOf(client.responses.retrieve(plain.id))).toMatchObject({ status: 404 });
  });

  it("assembles function calls of a streamed response, and gets text for their results", async () => {
    const tool = { type: "function" as const, strict: false, ...weather.function };
    const final = await client.responses
      .stream({ model: "gpt-4o", input: "Weather in Rome?", tools: [tool] })
      .finalResponse();
    const [call] = final.output;
    if (call?.type !== "function_call") throw new Error("no call");
    expect([call.name, call.arguments]).toEqual(["weather", '{"city":"Rome"}']);
    const output = { type: "function_call_output" as const, call_id: call.call_id, output: "18 degrees" };
    const answer = await client.responses.create({
      model: "gpt-4o",
      input: [{ role: "user", content: "Weather in Rome?" }, call, output],
      tools: [tool],
    });
    expect(answer.output_text).toContain("18 degrees");
  });

  it("sees an incomplete response when the limit cuts it", async () => {
    const final = await client.responses
      .stream({ model: "gpt-4o", input: "Hi", max_output_tokens: 4 })
      .finalResponse();
    expect([final.status, final.incomplete_details?.reason]).toEqual(["incomplete", "max_output_tokens"]);
  });

  it("throws its own error classes, before and inside a stream", async () => {
    const simulate = (what: string) => [{ role: "user" as const, content: `tollgate:simulate=${what}` }];
    const limited = client.chat.completions.create({ model: "gpt-4o", messages: simulate("rate_limit") });
    expect(await failureOf(limited)).toBeInstanceOf(OpenAI.RateLimitError);
    const stream = await client.chat.completions.create({
      model: "gpt-4o",
      messages: simulate("error_after_200"),
      stream: true,
    });
    const drain = async () => {
      for await (const _ of stream);
    };
    await expect(drain()).rejects.toBeInstanceOf(OpenAI.APIError);
  });
});

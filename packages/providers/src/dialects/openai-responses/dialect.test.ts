import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { openai } from "../../openai/provider.ts";
import { SseSplitter } from "../../sse.ts";
import { openaiResponses } from "./dialect.ts";

const base = { model: "gpt-5", input: "hi" };

describe("GW-021 a Responses request", () => {
  it("is summarized", () => {
    expect(openaiResponses.summarize({ ...base, stream: true, max_output_tokens: 64 })).toEqual({
      model: "gpt-5",
      stream: true,
      wantsStreamUsage: false,
      maxOutputTokens: 64,
      choices: 1,
    });
  });

  for (const source of [{ input: [] }, { prompt: { id: "p" } }, { previous_response_id: "r" }])
    it(`may have ${JSON.stringify(source)}`, () => {
      expect(openaiResponses.summarize({ model: "gpt-5", ...source }).model).toBe("gpt-5");
    });

  const bad: [object, string][] = [
    [{ model: undefined }, "`model`"],
    [{ input: undefined }, "`input`"],
    [{ input: 7 }, "`input`"],
    [{ stream: 1 }, "`stream`"],
    [{ max_output_tokens: 0.5 }, "`max_output_tokens`"],
    [{ background: true }, "`background`"],
  ];
  for (const [change, field] of bad)
    it(`is rejected with ${JSON.stringify(change)}, naming ${field}`, () => {
      expect(() => openaiResponses.summarize({ ...base, ...change })).toThrow(field);
    });

  it("has a prefix of tools and instructions", () => {
    const tools = [{ type: "function", name: "f" }];
    expect(openaiResponses.prefix(base)).toBe("");
    expect(openaiResponses.prefix({ ...base, instructions: "i", tools })).toBe(JSON.stringify([tools, "i"]));
    expect(openaiResponses.prefix({ ...base, instructions: "i" })).toBe(JSON.stringify([null, "i"]));
  });

  it("passes through unchanged, except for the model's name", () => {
    expect(openaiResponses.prepareNative(base, "gpt-5")).toBe(base);
    expect(openaiResponses.prepareNative({ ...base, model: "openai/gpt-5" }, "gpt-5")).toEqual(base);
  });
});

const frame = (event: { type: string; [field: string]: unknown }) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
const response = { id: "resp_1", model: "gpt-5-2025-08-07", output: [], usage: null };
const created = frame({ type: "response.created", sequence_number: 0, response });
const delta = frame({ type: "response.output_text.delta", sequence_number: 1, delta: "né" });
const terminal = (type: string, fields: object = {}) =>
  frame({
    type,
    sequence_number: 2,
    response: { ...response, usage: { input_tokens: 3, output_tokens: 2 }, ...fields },
  });

const textOf = (bytes: Uint8Array | string) => Buffer.from(bytes as string).toString("utf8");

function relay(text: string, cuts: readonly number[] = []) {
  const meter = openai.native["openai-responses"]?.meter() ?? openai.conversation.meter();
  const stream = openaiResponses.openNativeStream(
    meter,
    openaiResponses.summarize({ ...base, stream: true }),
  );
  const bytes = Buffer.from(text);
  const splitter = new SseSplitter();
  let now = "";
  let from = 0;
  for (const to of [...cuts, bytes.length]) {
    for (const part of splitter.push(bytes.subarray(from, to))) now += textOf(stream.push(part));
    from = to;
  }
  const rest = splitter.end();
  if (rest) now += textOf(stream.push(rest));
  return { now, stream, meter, complete: stream.end() };
}

describe("GW-021 a Responses stream", () => {
  for (const type of ["response.completed", "response.incomplete"])
    it(`passes through byte for byte, but ${type} waits`, () => {
      const last = terminal(type);
      const { now, complete, stream, meter } = relay(created + delta + last);
      expect(now).toBe(created + delta);
      expect(complete).toBe(true);
      expect(textOf(stream.finish())).toBe(last);
      expect(meter.reading().usage).toEqual({ input: 3, output: 2 });
    });

  it("holds frames that follow the terminal frame", () => {
    const last = terminal("response.completed");
    const { now, stream } = relay(`${created}${last}data: [DONE]\n\n`);
    expect(now).toBe(created);
    expect(textOf(stream.finish())).toBe(`${last}data: [DONE]\n\n`);
  });

  it("is not complete if it was cut off", () => {
    expect(relay(created + delta).complete).toBe(false);
  });

  it("keeps the provider's own failure, error event and response.failed together, and its usage", () => {
    const error = { type: "server_error", code: "server_error", message: "broke", param: null };
    const event = frame({ type: "error", sequence_number: 2, error });
    const failed = terminal("response.failed", { error: { code: "server_error", message: "broke" } });
    const { now, complete, stream, meter } = relay(created + event + failed);
    expect(now).toBe(created);
    expect(complete).toBe(false);
    expect(stream.failure).toEqual({
      status: 500,
      message: "broke",
      type: "server_error",
      code: "server_error",
    });
    expect(stream.failure && stream.fail(stream.failure)).toBe(event + failed);
    expect(meter.reading().usage).toEqual({ input: 3, output: 2 });
  });

  it("fails on a flat error event too, or on response.failed alone", () => {
    const flat = {
      type: "error",
      code: "rate_limit_exceeded",
      message: "slow",
      param: null,
      sequence_number: 1,
    };
    expect(relay(created + frame(flat)).stream.failure).toEqual({
      status: 429,
      message: "slow",
      code: "rate_limit_exceeded",
    });
    const failed = terminal("response.failed", { error: { code: "server_error", message: "broke" } });
    expect(relay(failed).stream.failure).toMatchObject({ status: 500, message: "broke" });
  });

  const statuses: [code: string, status: number][] = [
    ["server_error", 500],
    ["vector_store_timeout", 500],
    ["image_generation_failed", 500],
    ["rate_limit_exceeded", 429],
    ["invalid_prompt", 400],
    ["invalid_base64_image", 400],
    ["image_too_large", 400],
    ["unsupported_image_media_type", 400],
    ["failed_to_download_image", 400],
    ["data_residency_mismatch", 400],
  ];
  for (const [code, status] of statuses)
    it(`fails with the status ${status} on a response that failed with ${code}`, () => {
      const failed = terminal("response.failed", { error: { code, message: "broke" } });
      expect(relay(failed).stream.failure).toMatchObject({ status, code });
    });

  it("ends with an error event that continues the numbering if we abort it", () => {
    const { stream } = relay(created + delta);
    const failed = stream.fail({
      status: 504,
      message: "silent",
      type: "provider_timeout",
      code: "provider_timeout",
    });
    const text = Buffer.from(failed).toString("utf8");
    const [event, data] = text.split("\n");
    expect(event).toBe("event: error");
    expect(text.endsWith("\n\n")).toBe(true);
    expect(JSON.parse(String(data).slice("data: ".length))).toEqual({
      type: "error",
      sequence_number: 2,
      message: "silent",
      param: null,
      code: "provider_timeout",
      error: { type: "provider_timeout", message: "silent", param: null, code: "provider_timeout" },
    });
  });

  it("does not depend on chunk boundaries", () => {
    const body = created + delta + terminal("response.completed");
    fc.assert(
      fc.property(fc.array(fc.nat(Buffer.byteLength(body))), cuts => {
        const { now, stream, complete } = relay(
          body,
          cuts.sort((a, b) => a - b),
        );
        expect(complete).toBe(true);
        expect(now + textOf(stream.finish())).toBe(body);
      }),
    );
  });
});

import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { type FaultLab, startFaultLab } from "../../support/labs/fault-lab.ts";
import {
  writeAnswer,
  writeChunk,
  writeChunkedHead,
  writeLastChunk,
} from "../../support/servers/http-bytes.ts";
import { eventually } from "../../support/waiting/eventually.ts";
import { dataFrame, doneFrame } from "./raw-answer.ts";

let lab: FaultLab;
beforeAll(async () => {
  lab = await startFaultLab();
});
afterAll(() => lab.stop());

const failed = (error: object, more: object = {}) =>
  JSON.stringify({
    id: "resp_1",
    object: "response",
    status: "failed",
    model: "gpt-5-2025-08-07",
    output: [],
    usage: null,
    error,
    ...more,
  });

async function call(answer: string) {
  lab.play(writeAnswer(200, answer));
  const response = await lab.gateway.post("/v1/responses", { model: "gpt-5", input: "Hi" });
  expect(await response.text()).toBe(answer);
  expect([response.status, response.headers.get("x-gateway-error-source")]).toEqual([200, "provider"]);
  return lab.event(response);
}

describe("a response that failed, although its status is 200", () => {
  it("MON-018 GW-041 is an error, and costs nothing if the provider turned the call down", async () => {
    const error = { code: "rate_limit_exceeded", message: "slow down" };
    expect(await call(failed(error))).toMatchObject({
      status: "error",
      http_status: 200,
      error_code: "rate_limit_exceeded",
      cost_microcents: 0,
    });
  });

  it("MON-018 costs its prompt at least if the provider worked on it, and what it reports if it does", async () => {
    const error = { code: "server_error", message: "sorry" };
    const silent = await call(failed(error));
    expect(silent).toMatchObject({ status: "error", cost_basis: "estimated" });
    expect(silent.input_tokens).toBeGreaterThan(0);
    const reported = await call(failed(error, { usage: { input_tokens: 1000, output_tokens: 10 } }));
    expect(reported).toMatchObject({ status: "error", cost_basis: "priced", cost_microcents: 13_500 });
  });
});

const hi = [{ role: "user", content: "Hi" }];

describe("an error instead of an answer, although its status is 200", () => {
  const cases = [
    {
      path: "/v1/chat/completions",
      body: { model: "gpt-4o", messages: hi },
      failed: { error: { message: "sorry", type: "server_error", param: null, code: null } },
      refused: {
        error: { message: "slow down", type: "requests", param: null, code: "rate_limit_exceeded" },
      },
      codes: ["server_error", "rate_limit_exceeded"],
    },
    {
      path: "/v1/chat/completions",
      body: { model: "grok-4.3", messages: hi },
      failed: { code: "internal", error: "sorry" },
      refused: { code: "resource-exhausted", error: "slow down" },
      codes: ["internal", "resource-exhausted"],
    },
    {
      path: "/v1/messages",
      body: { model: "claude-sonnet-4-5", max_tokens: 100, messages: hi },
      failed: { type: "error", error: { type: "api_error", message: "sorry" } },
      refused: { type: "error", error: { type: "overloaded_error", message: "slow down" } },
      codes: ["api_error", "overloaded_error"],
    },
    {
      path: "/v1/responses",
      body: { model: "gpt-5", input: "Hi" },
      failed: { error: { message: "sorry", type: "server_error", param: null, code: null } },
      refused: {
        error: { message: "slow down", type: "requests", param: null, code: "rate_limit_exceeded" },
      },
      codes: ["server_error", "rate_limit_exceeded"],
    },
    {
      path: "/v1/responses",
      body: { model: "grok-4.3", input: "Hi" },
      failed: { code: "internal", error: "sorry" },
      refused: { code: "resource-exhausted", error: "slow down" },
      codes: ["internal", "resource-exhausted"],
    },
    {
      path: "/v1/embeddings",
      body: { model: "text-embedding-3-large", input: "Hi" },
      failed: { error: { message: "sorry", type: "server_error", param: null, code: null } },
      refused: {
        error: { message: "slow down", type: "requests", param: null, code: "rate_limit_exceeded" },
      },
      codes: ["server_error", "rate_limit_exceeded"],
    },
  ];

  for (const { path, body, failed, refused, codes } of cases)
    it(`MON-018 GW-041 of ${body.model} at ${path} is an error: free if it was turned down, else at least its prompt`, async () => {
      const read = async (answer: object) => {
        lab.play(writeAnswer(200, JSON.stringify(answer)));
        const response = await lab.gateway.post(path, body);
        expect(await response.text()).toBe(JSON.stringify(answer));
        expect(response.headers.get("x-gateway-error-source")).toBe("provider");
        return lab.event(response);
      };
      const cut = await read(failed);
      expect(cut).toMatchObject({ status: "error", error_code: codes[0], cost_basis: "estimated" });
      expect(cut.cost_microcents).toBeGreaterThan(0);
      expect(await read(refused)).toMatchObject({
        status: "error",
        error_code: codes[1],
        usage_source: "none",
        cost_microcents: 0,
      });
    });
});

describe("an error instead of an answer that would be translated, although its status is 200", () => {
  const cases = [
    {
      path: "/v1/chat/completions",
      model: "gemini-2.5-flash",
      answer: { error: { code: 503, message: "slow down", status: "UNAVAILABLE" } },
      status: 503,
      code: "UNAVAILABLE",
    },
    {
      path: "/v1/messages",
      model: "gemini-2.5-pro",
      answer: [{ error: { code: 429, message: "slow down", status: "RESOURCE_EXHAUSTED" } }],
      status: 429,
      code: "RESOURCE_EXHAUSTED",
    },
    {
      path: "/v1/messages",
      model: "gpt-4o",
      answer: { error: { message: "slow down", type: "requests", code: "rate_limit_exceeded" } },
      status: 429,
      code: "rate_limit_exceeded",
    },
    {
      path: "/v1/chat/completions",
      model: "claude-sonnet-4-5",
      answer: { type: "error", error: { type: "overloaded_error", message: "slow down" } },
      status: 529,
      code: "overloaded_error",
    },
  ];

  for (const { path, model, answer, status, code } of cases)
    it(`MON-018 GW-041 of ${model} is the provider's, in the client's dialect`, async () => {
      lab.play(writeAnswer(200, JSON.stringify(answer)));
      const response = await lab.gateway.post(path, { model, max_tokens: 100, messages: hi });
      expect([response.status, response.headers.get("x-gateway-error-source")]).toEqual([status, "provider"]);
      expect(await response.json()).toMatchObject({ error: { message: "slow down" } });
      expect(await lab.event(response)).toMatchObject({
        status: "error",
        http_status: 200,
        error_code: code,
        usage_source: "none",
        cost_microcents: 0,
      });
    });
});

describe("an error instead of a stream, although its status is 200", () => {
  const error = { message: "slow down", type: "requests", param: null, code: "rate_limit_exceeded" };
  const body = { model: "gpt-4o", messages: hi, stream: true };
  const written: [string, string, string][] = [
    ["as JSON", "application/json", JSON.stringify({ error })],
    ["as JSON labelled as a stream", "text/event-stream", JSON.stringify({ error })],
    ["as JSON over many lines", "text/event-stream", `\n\n${JSON.stringify({ error }, null, 2)}\n\n`],
    ["as a frame", "text/event-stream", dataFrame({ error })],
  ];

  for (const [how, contentType, bytes] of written)
    for (const path of ["/v1/chat/completions", "/v1/messages"])
      it(`GW-041 ${how}, is the provider's error at ${path}, and free if it turned the call down`, async () => {
        lab.play(writeAnswer(200, bytes, { "content-type": contentType }));
        const response = await lab.gateway.post(path, { ...body, max_tokens: 100 });
        expect([response.status, response.headers.get("x-gateway-error-source")]).toEqual([429, "provider"]);
        expect(await response.json()).toMatchObject({ error: { message: "slow down" } });
        expect(await lab.event(response)).toMatchObject({
          status: "error",
          error_code: "rate_limit_exceeded",
          usage_source: "none",
          cost_microcents: 0,
        });
      });

  for (const [how, contentType, write] of [
    ["as JSON", "application/json", JSON.stringify],
    ["as JSON labelled as a stream", "text/event-stream", JSON.stringify],
    ["as a frame", "text/event-stream", dataFrame],
  ] as const)
    it(`GW-041 ${how} in google's array, is the provider's error`, async () => {
      const answer = [{ error: { code: 503, message: "slow down", status: "UNAVAILABLE" } }];
      lab.play(writeAnswer(200, write(answer), { "content-type": contentType }));
      const response = await lab.gateway.post("/v1/chat/completions", { ...body, model: "gemini-2.5-flash" });
      expect([response.status, response.headers.get("x-gateway-error-source")]).toEqual([503, "provider"]);
      expect(await response.json()).toMatchObject({ error: { message: "slow down" } });
      expect(await lab.event(response)).toMatchObject({ error_code: "UNAVAILABLE", cost_microcents: 0 });
    });

  it("GW-041 whose blanks come first is the provider's error", async () => {
    const object = writeChunk(JSON.stringify({ error }));
    lab.play([writeChunkedHead(), writeChunk("\n\n"), { do: "wait", ms: 30 }, object, writeLastChunk]);
    const response = await lab.gateway.post("/v1/chat/completions", body);
    expect([response.status, response.headers.get("x-gateway-error-source")]).toEqual([429, "provider"]);
    await response.text();
    expect(await lab.event()).toMatchObject({ error_code: "rate_limit_exceeded", cost_microcents: 0 });
  });

  it("GW-041 MON-018 costs nothing either if every answer of the model costs a search", async () => {
    lab.play(writeAnswer(200, dataFrame({ error }), { "content-type": "text/event-stream" }));
    const model = "gpt-4o-search-preview";
    const response = await lab.gateway.post("/v1/chat/completions", { ...body, model });
    expect(response.status).toBe(429);
    expect(await lab.event(response)).toMatchObject({ usage: {}, cost_microcents: 0 });
  });

  it("GW-041 after which the connection breaks is the provider's error", async () => {
    const object = writeChunk(JSON.stringify({ error }));
    let ms = 10;
    await eventually("the error arrives before the end of its connection", async () => {
      ms *= 2;
      lab.play([writeChunkedHead(), object, { do: "wait", ms }, { do: "reset" }]);
      const response = await lab.gateway.post("/v1/chat/completions", body);
      await response.text();
      const { error_code } = await lab.event();
      return response.status === 429 && error_code === "rate_limit_exceeded";
    });
  });

  it("GW-041 a frame under an error status is the provider's error, too", async () => {
    lab.play(writeAnswer(429, dataFrame({ error }), { "content-type": "text/event-stream" }));
    const response = await lab.gateway.post("/v1/chat/completions", body);
    expect([response.status, response.headers.get("content-type")]).toEqual([429, "application/json"]);
    expect(await response.json()).toMatchObject({ error: { message: "slow down" } });
    expect(await lab.event(response)).toMatchObject({
      error_code: "rate_limit_exceeded",
      cost_microcents: 0,
    });
  });

  it("MON-010 an answer labelled as a stream is a 502, but what was billed is recorded", async () => {
    const usage = { prompt_tokens: 1000, completion_tokens: 5, total_tokens: 1005 };
    const choices = [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }];
    const answer = { object: "chat.completion", model: "gpt-4o-2024-08-06", choices, usage };
    lab.play(writeAnswer(200, JSON.stringify(answer), { "content-type": "text/event-stream" }));
    const response = await lab.gateway.post("/v1/chat/completions", body);
    expect(response.status).toBe(502);
    await response.text();
    expect(await lab.event()).toMatchObject({
      status: "error",
      error_code: "provider_invalid_answer",
      usage_source: "provider",
      cost_microcents: 25_500, // 1,000 × 25 + 5 × 100
    });
  });
});

describe("a stream where none was expected", () => {
  const usage = { prompt_tokens: 1000, completion_tokens: 5, total_tokens: 1005 };
  const frames = [
    { model: "gpt-4o-2024-08-06", choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: "stop" }] },
    { model: "gpt-4o-2024-08-06", choices: [], usage },
  ];
  const bytes = `${frames.map(dataFrame).join("")}${doneFrame}`;

  for (const [what, stream, contentType] of [
    ["under another content type", true, "text/plain"],
    ["for a call that asked for none", false, "text/event-stream"],
  ] as const)
    it(`MON-018 ${what} is a 502, with the usage that it reports`, async () => {
      lab.play(writeAnswer(200, bytes, { "content-type": contentType }));
      const response = await lab.gateway.post("/v1/chat/completions", {
        model: "gpt-4o",
        messages: hi,
        stream,
      });
      expect(response.status).toBe(502);
      await response.text();
      expect(await lab.event()).toMatchObject({
        status: "error",
        usage_source: "provider",
        cost_basis: "priced",
        cost_microcents: 25_500, // 1,000 × 25 + 5 × 100
      });
    });
});

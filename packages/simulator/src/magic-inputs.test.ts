import { afterAll, describe, expect, it } from "bun:test";
import { type ProviderId, providerIds } from "@tollgate/core/provider-id";
import { serveProvider } from "../../../test/support/servers/serve-provider.ts";
import { simulatedRequest } from "../../../test/support/servers/simulated-request.ts";
import { eventually } from "../../../test/support/waiting/eventually.ts";
import { findMagicInput, MAGIC_PREFIX, type MagicInput, magicInputs } from "./magic-inputs.ts";
import { simulate } from "./simulate.ts";

const say = (what: MagicInput) => `Please answer. ${MAGIC_PREFIX}${what}.`;

const call = (provider: ProviderId, what: MagicInput, stream = false) =>
  simulate(provider, simulatedRequest(provider, say(what), { stream }), { paceMs: 0 });

describe("magic inputs", () => {
  it("are found in the middle of a text, and unknown ones are plain text", () => {
    expect(findMagicInput("a tollgate:simulate=hang, b")).toBe("hang");
    expect(findMagicInput("tollgate:simulate=nothing")).toBeNull();
    expect(findMagicInput("tollgate:simulate=toString")).toBeNull();
    expect(findMagicInput("no magic")).toBeNull();
  });

  const failures = providerIds.flatMap(provider =>
    (["rate_limit", "overload"] as const).map(what => [what, provider] as const),
  );
  it.each(failures)("GW-044 %s fails with the status of %s, plain and streamed", async (what, provider) => {
    for (const stream of [false, true]) {
      expect((await call(provider, what, stream)).status).toBe(magicInputs[what].status[provider]);
    }
  });

  it("GW-044 rate_limit states when to retry, and each error has its provider's shape", async () => {
    const openai = await call("openai", "rate_limit");
    expect(openai.headers.get("retry-after")).toBe("1");
    expect(await openai.json()).toMatchObject({ error: { code: "rate_limit_exceeded", param: null } });
    const anthropic = await call("anthropic", "rate_limit");
    expect(anthropic.headers.get("retry-after")).toBe("1");
    expect(await anthropic.json()).toMatchObject({ type: "error", error: { type: "rate_limit_error" } });
    const google = await call("google", "rate_limit");
    expect(await google.json()).toMatchObject({
      error: { code: 429, status: "RESOURCE_EXHAUSTED", details: [{}, { retryDelay: "1s" }] },
    });
    const xai = await call("xai", "rate_limit");
    expect(xai.headers.get("retry-after")).toBe("1");
    expect(await xai.json()).toMatchObject({ code: "resource-exhausted", error: expect.any(String) });
  });

  it.each(providerIds)("GW-044 hang answers nothing until the caller gives up: %s", async provider => {
    const controller = new AbortController();
    const request = simulatedRequest(provider, say("hang"), { signal: controller.signal });
    const answer = simulate(provider, request);
    const settled = await Promise.race([answer.then(() => true), Bun.sleep(5).then(() => false)]);
    expect(settled).toBe(false);
    controller.abort(new Error("timeout"));
    await expect(answer).rejects.toThrow("timeout");
  });

  it.each(providerIds)(
    "GW-044 reset cuts a stream after a few frames, and fails a plain call: %s",
    async provider => {
      const response = await call(provider, "reset", true);
      expect(response.status).toBe(200);
      const frames: Uint8Array[] = [];
      const drained = (async () => {
        for await (const frame of response.body ?? []) frames.push(frame);
      })();
      await expect(drained).rejects.toMatchObject({ code: "ECONNRESET" });
      expect(frames.length).toBeGreaterThan(1);
      await expect(call(provider, "reset")).rejects.toMatchObject({ code: "ECONNREFUSED" });
    },
  );

  it("GW-044 refusal ends the answer in each provider's own way", async () => {
    const openai = await (await call("openai", "refusal")).json();
    expect(openai).toMatchObject({
      choices: [
        { finish_reason: "stop", message: { content: null, refusal: expect.stringContaining("sorry") } },
      ],
    });
    const anthropic = await (await call("anthropic", "refusal")).json();
    expect(anthropic).toMatchObject({
      content: [],
      stop_reason: "refusal",
      stop_details: { type: "refusal" },
    });
    const google = await (await call("google", "refusal")).json();
    expect(google).toMatchObject({ candidates: [{ content: {}, finishReason: "SAFETY" }] });
    const xai = await (await call("xai", "refusal")).json();
    expect(xai).toMatchObject({ choices: [{ finish_reason: "content_filter", message: { content: "" } }] });
    expect(await (await call("openai", "refusal", true)).text()).toContain('"delta":{"refusal":');
    expect(await (await call("anthropic", "refusal", true)).text()).not.toContain("content_block");
    expect(await (await call("google", "refusal", true)).text()).toContain(
      '"content": {},"finishReason": "SAFETY"',
    );
    expect(await (await call("xai", "refusal", true)).text()).toContain('"finish_reason":"content_filter"');
  });

  it.each([
    [
      "openai",
      /\ndata: \{"error":\{"message":"[^\n]+"type":"server_error","param":null,"code":null\}\}\n\n$/,
    ],
    ["anthropic", /\nevent: error\ndata: \{"type":"error","error":\{"type":"overloaded_error",[^\n]+\}\n\n$/],
    ["google", /\r\n\r\ndata: \{"error": \{"code": 503,[^\r]+"status": "UNAVAILABLE"\}\}\r\n\r\n$/],
    ["xai", /\ndata: \{"code":"internal","error":"[^\n]+"\}\n\n$/],
  ] as [ProviderId, RegExp][])(
    "GW-044 error_after_200 ends a stream with the error frame of %s",
    async (provider, ending) => {
      const response = await call(provider, "error_after_200", true);
      expect(response.status).toBe(200);
      const text = await response.text();
      expect(text).toMatch(ending);
      expect(text).not.toContain("[DONE]");
      expect((await call(provider, "error_after_200")).status).toBe(500);
    },
  );

  it("works for embeddings too", async () => {
    const request = new Request("http://provider.test/v1/embeddings", {
      method: "POST",
      headers: { authorization: "Bearer k" },
      body: JSON.stringify({ model: "text-embedding-3-small", input: ["a", say("overload")] }),
    });
    expect((await simulate("openai", request)).status).toBe(503);
  });
});

describe("magic inputs over a socket", () => {
  const served = serveProvider("openai");
  afterAll(() => served.stop());

  it("GW-044 reset reaches a client as a broken connection", async () => {
    const streamed = await fetch(
      simulatedRequest("openai", say("reset"), { stream: true, baseUrl: served.url }),
    );
    await expect(streamed.text()).rejects.toMatchObject({ code: "ECONNRESET" });
    const plain = fetch(simulatedRequest("openai", say("reset"), { baseUrl: served.url }));
    await expect(plain).rejects.toMatchObject({ code: "ECONNRESET" });
  });

  it("GW-044 hang holds a client until it gives up, and the server notices", async () => {
    const controller = new AbortController();
    const request = simulatedRequest("openai", say("hang"), {
      baseUrl: served.url,
      signal: controller.signal,
    });
    const before = served.requests.length;
    const answer = fetch(request);
    await eventually("the request arrived", () => served.requests.length > before);
    controller.abort();
    await expect(answer).rejects.toThrow();
    await served.requests.at(-1)?.abandoned;
  });
});

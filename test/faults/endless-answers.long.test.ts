import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { createGzip } from "node:zlib";
import { callRoutes, chatToGoogle, nativeChat } from "../support/clients/call-routes.ts";
import { openRawCall } from "../support/clients/raw-call.ts";
import {
  expectOwnError,
  expectPromptBilled,
  type FaultLab,
  startFaultLab,
} from "../support/labs/fault-lab.ts";
import { MEGABYTE, memoryPeak } from "../support/memory-peak.ts";
import {
  encodeChunk,
  writeChunk,
  writeChunkedHead,
  writeHead,
  writeLastChunk,
} from "../support/servers/http-bytes.ts";
import type { Step } from "../support/servers/scripted-server.ts";
import { eventually } from "../support/waiting/eventually.ts";

let lab: FaultLab;
beforeAll(async () => {
  lab = await startFaultLab();
});
afterAll(() => lab.stop());

const block = encodeChunk("x".repeat(65_536));
const flood = (bytes: number): Step => ({ do: "flood", bytes: block, times: Math.ceil(bytes / 65_536) });
const written = () => lab.upstream.connections.at(-1)?.bytesWritten ?? 0;

/** A gzip stream that decompresses to a thousand times its size. */
async function bomb(bytes: number): Promise<Buffer> {
  const gzip = createGzip();
  const packed: Buffer[] = [];
  gzip.on("data", (piece: Buffer) => packed.push(piece));
  const block = Buffer.alloc(MEGABYTE, " ");
  for (let at = 0; at < bytes; at += block.length) {
    await new Promise<void>(resolve => gzip.write(block, () => resolve()));
  }
  await new Promise<void>(resolve => gzip.end(() => resolve()));
  return Buffer.concat(packed);
}

describe("GW-037 one line of at least 64 MB", () => {
  it("passes through a native stream without being stored", async () => {
    const native = callRoutes.filter(({ isNative }) => isNative);
    for (const route of native) {
      const [first = "", ...rest] = route.wire.frames(["text"]);
      lab.play([
        writeChunkedHead(),
        writeChunk(`${first}data: `),
        flood(64 * MEGABYTE),
        writeChunk(`\n\n${rest.join("")}`),
        { do: "write", bytes: "0\r\n\r\n" },
      ]);
      let bytes = 0;
      const grown = await memoryPeak(async () => {
        const body = JSON.stringify(route.body("hello", true));
        const call = await openRawCall(lab.gateway.url, route.path, lab.gateway.headers(), body);
        await call.ended();
        bytes = call.bytes;
      });
      expect(bytes).toBeGreaterThan(64 * MEGABYTE);
      expect(grown).toBeLessThan(60 * MEGABYTE);
      expect(await lab.event()).toMatchObject({ status: "success", usage_source: "provider" });
    }
  });

  it("GW-032 ends a translated stream with our own error, long before it was read completely", async () => {
    const translated = callRoutes.filter(({ isNative }) => !isNative);
    for (const route of translated) {
      lab.play([writeChunkedHead(), writeChunk("data: "), flood(256 * MEGABYTE), { do: "hang" }]);
      const grown = await memoryPeak(async () => {
        const answer = await lab.call(route, true);
        await expectOwnError(answer, 502);
        expect(await lab.event(answer)).toMatchObject({
          status: "error",
          http_status: 200,
          error_code: "provider_invalid_answer",
          usage_source: "estimated",
        });
      });
      expect(grown).toBeLessThan(60 * MEGABYTE);
      // On a busy machine, more is on its way when the connection ends.
      expect(written()).toBeLessThan(128 * MEGABYTE);
    }
  });
});

describe("GW-037 MON-018 a frame with a generated image of 16 MB", () => {
  const image = "A".repeat(65_536);
  const drawing: Step = { do: "flood", bytes: encodeChunk(image), times: 256 };

  it("passes through the Responses API unharmed, and is metered exactly", async () => {
    const head = 'event: response.created\ndata: {"type":"response.created","response":{"id":"resp_1"}}\n\n';
    const begin =
      'event: response.completed\ndata: {"type":"response.completed","sequence_number":1,"response":{"id":"resp_1",' +
      '"model":"gpt-4o-2024-08-06","output":[{"type":"image_generation_call","id":"ig_1","result":"';
    const end = '"}],"usage":{"input_tokens":1000,"output_tokens":50,"total_tokens":1050}}}\n\n';
    // The connection stays open: the frame itself ends the answer.
    lab.play([
      writeChunkedHead(),
      writeChunk(head),
      writeChunk(begin),
      drawing,
      writeChunk(end),
      { do: "hang" },
    ]);
    const answer = await lab.gateway.post("/v1/responses", {
      model: "gpt-4o",
      stream: true,
      input: "draw",
    });
    const text = await answer.text();
    expect(text.length).toBe(head.length + begin.length + 256 * image.length + end.length);
    expect(text.endsWith(end)).toBe(true);
    expect(await lab.event()).toMatchObject({
      status: "success",
      error_code: null,
      usage: { input: 1000, output: 50 },
      usage_source: "provider",
      cost_basis: "priced",
    });
  });

  const begin = 'data: {"candidates":[{"content":{"parts":[{"inlineData":{"mimeType":"image/png","data":"';
  const end = (model: string) =>
    '"}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":1290,' +
    `"totalTokenCount":1300},"modelVersion":"${model}"}\n\n`;

  it("is translated if the model generates images", async () => {
    const model = "gemini-2.5-flash-image";
    lab.play([writeChunkedHead(), writeChunk(begin), drawing, writeChunk(end(model)), writeLastChunk]);
    const answer = await lab.gateway.post(chatToGoogle.path, { ...chatToGoogle.body("draw", true), model });
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(text.length).toBeGreaterThan(256 * image.length);
    expect(text).toEndWith("data: [DONE]\n\n");
    expect(await lab.event()).toMatchObject({ status: "success", usage_source: "provider" });
  });

  it("GW-032 is a clear error if it had to be translated for any other model, and billed exactly", async () => {
    lab.play([
      writeChunkedHead(),
      writeChunk(begin),
      drawing,
      writeChunk(end("gemini-2.5-flash")),
      writeLastChunk,
    ]);
    const answer = await lab.call(chatToGoogle, true);
    expect(await answer.clone().text()).toContain("longer than 8 MiB");
    await expectOwnError(answer, 502);
    expect(await lab.event(answer)).toMatchObject({
      status: "error",
      error_code: "provider_invalid_answer",
      usage: { input: 10, output_image: 1290 },
      usage_source: "provider",
      cost_basis: "priced",
    });
  });
});

describe("a plain answer that is too large for memory", () => {
  const vector = `[${"0.123456789,".repeat(3071)}0.5]`;
  const embedding = `{"object":"embedding","index":0,"embedding":${vector}}`;
  const head = `{"object":"list","data":[${embedding}`;
  const usage = '],"model":"text-embedding-3-large","usage":{"prompt_tokens":200000,"total_tokens":200000}}';
  const more = `,${embedding}`;
  const manyMore = (count: number): Step => ({ do: "flood", bytes: encodeChunk(more), times: count });
  const count = Math.ceil((80 * MEGABYTE) / more.length);
  const ask = () => lab.gateway.post("/v1/embeddings", { model: "text-embedding-3-large", input: ["x"] });

  it("MON-018 is streamed and metered at its exact cost, and never held completely", async () => {
    lab.play([
      writeChunkedHead("application/json"),
      writeChunk(head),
      manyMore(count),
      writeChunk(usage),
      writeLastChunk,
    ]);
    let bytes = 0;
    let end = "";
    const grown = await memoryPeak(async () => {
      const answer = await ask();
      expect([answer.status, answer.headers.get("x-gateway-latency")]).toEqual([200, "streaming"]);
      for await (const piece of answer.body ?? []) {
        bytes += piece.length;
        end = (end + Buffer.from(piece).toString("latin1")).slice(-200);
      }
    });
    expect(bytes).toBe(head.length + count * more.length + usage.length);
    expect(end.endsWith(usage)).toBe(true);
    expect(grown).toBeLessThan(160 * MEGABYTE);
    expect(await lab.event()).toMatchObject({
      status: "success",
      usage: { input: 200_000 },
      usage_source: "provider",
      cost_basis: "priced",
      cost_microcents: 260_000, // $0.13 per million
    });
  });

  it("MON-018 is billed for its prompt if it is cut off, and its client notices", async () => {
    lab.play([writeChunkedHead("application/json"), writeChunk(head), manyMore(count), { do: "reset" }]);
    const answer = await ask();
    expect(answer.status).toBe(200);
    await expect(answer.bytes()).rejects.toThrow();
    const event = await lab.event();
    expect(event).toMatchObject({ status: "error", error_code: "provider_unreachable" });
    expectPromptBilled(event);
  });

  it("GW-035 is read to the end for its exact usage when its client disconnects", async () => {
    const { promise: left, resolve: goOn } = Promise.withResolvers<void>();
    lab.play([
      writeChunkedHead("application/json"),
      writeChunk(head),
      manyMore(count),
      { do: "until", promise: left },
      writeChunk(usage),
      writeLastChunk,
    ]);
    const body = JSON.stringify({ model: "text-embedding-3-large", input: ["x"] });
    const call = await openRawCall(lab.gateway.url, "/v1/embeddings", lab.gateway.headers(), body);
    await eventually("the client has read a part of it", () => call.bytes > MEGABYTE);
    call.leave();
    await eventually("it is gone", () => call.isClosed);
    goOn();
    expect(await lab.event()).toMatchObject({ status: "cancelled", usage: { input: 200_000 } });
  });
});

describe("GW-032 an endless plain answer is aborted", () => {
  it("at 64 MB", async () => {
    lab.play([writeChunkedHead("application/json"), flood(1024 * MEGABYTE), { do: "hang" }]);
    const answer = await lab.call(nativeChat, false);
    await expectOwnError(answer, 502);
    expect(await lab.event(answer)).toMatchObject({
      status: "error",
      http_status: 200,
      error_code: "provider_invalid_answer",
    });
    expect(written()).toBeLessThan(128 * MEGABYTE);
  });

  it("even if it claims to be short, and is chunked", async () => {
    const framing = { "content-length": "10", "transfer-encoding": "chunked" };
    lab.play([writeHead(200, { "content-type": "application/json", ...framing }), flood(1024 * MEGABYTE)]);
    await expectOwnError(await lab.call(nativeChat, false), 502);
    expect(await lab.event()).toMatchObject({ status: "error", error_code: "provider_invalid_answer" });
    expect(written()).toBeLessThan(128 * MEGABYTE);
  });

  it("even if it is an error", async () => {
    lab.play([writeChunkedHead("application/json", 500), flood(1024 * MEGABYTE), { do: "hang" }]);
    const answer = await lab.call(chatToGoogle, false);
    await expectOwnError(answer, 502);
    expect(await lab.event(answer)).toMatchObject({ status: "error", http_status: 500 });
    expect(written()).toBeLessThan(128 * MEGABYTE);
  });

  it("even if it is small until it is decompressed", async () => {
    const packed = await bomb(512 * MEGABYTE);
    expect(packed.length).toBeLessThan(MEGABYTE);
    for (const [route, stream] of [
      [nativeChat, false],
      [chatToGoogle, false],
      [chatToGoogle, true],
    ] as const) {
      lab.play([
        writeHead(200, {
          "content-type": stream ? "text/event-stream" : "application/json",
          "content-encoding": "gzip",
          "content-length": String(packed.length),
        }),
        { do: "write", bytes: packed },
      ]);
      const grown = await memoryPeak(async () => {
        const answer = await lab.call(route, stream);
        await expectOwnError(answer, 502);
        expect(await lab.event(answer)).toMatchObject({
          status: "error",
          http_status: 200,
          error_code: "provider_invalid_answer",
        });
      });
      expect(grown).toBeLessThan(256 * MEGABYTE);
    }
  });
});

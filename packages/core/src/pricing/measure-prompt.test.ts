import { describe, expect, it } from "bun:test";
import { cpuTimeMs } from "../../../../test/support/cpu-time.ts";
import type { ProviderId } from "../provider-id.ts";
import { measurePrompt } from "./measure-prompt.ts";

const image = "iVBORw0KGgo".repeat(40_000);
const sizeOf = (body: unknown, provider: ProviderId = "openai") =>
  measurePrompt(body, Buffer.byteLength(JSON.stringify(body)), provider);
const bytesOf = (body: unknown, bodyBytes: number) => measurePrompt(body, bodyBytes, "openai").bytes;
const ofParts = (...content: unknown[]) => ({ messages: [{ role: "user", content }] });

describe("measurePrompt", () => {
  it("counts a small body completely", () => {
    const body = { messages: [{ role: "user", content: "hi" }] };
    expect(sizeOf(body)).toEqual({
      bytes: JSON.stringify(body).length,
      mediaTokens: 0,
      audioTokens: 0,
      cacheWrite: null,
    });
  });

  it("MON-010 counts an image as an image, not as 400 KB of text, in both dialects", () => {
    const chat = ofParts(
      { type: "image_url", image_url: { url: `data:image/png;base64,${image}` } },
      { type: "text", text: "what is this?" },
    );
    const messages = ofParts(
      { type: "image", source: { type: "base64", media_type: "image/png", data: image } },
      { type: "text", text: "what is this?" },
    );
    for (const body of [chat, messages]) {
      expect(sizeOf(body).mediaTokens).toBe(1000);
      expect(sizeOf(body).bytes).toBeLessThan(200);
    }
  });

  const pdf = "JVBERi0x".repeat(1_000_000); // 6 MB, 120 pages
  const chatFile = (file: object) => ofParts({ type: "file", file });
  const document = (source: object) => ofParts({ type: "document", source });
  const responses = (part: object) => ({ input: [{ role: "user", content: [part] }] });
  const csv = "a,b,c\n".repeat(10_000);
  it.each([
    ["openai", "a PDF", 180_000, chatFile({ file_data: `data:application/pdf;base64,${pdf}` })],
    ["google", "a PDF", 67_200, chatFile({ file_data: `data:application/pdf;base64,${pdf}` })],
    ["openai", "a PDF", 180_000, responses({ type: "input_file", file_data: pdf })],
    ["anthropic", "a PDF", 360_000, document({ type: "base64", media_type: "application/pdf", data: pdf })],
    ["openai", "a small PDF", 1500, chatFile({ file_data: pdf.slice(0, 4000) })],
    [
      "openai",
      "a table",
      15_000,
      chatFile({ file_data: `data:text/csv;base64,${Buffer.from(csv).toString("base64")}` }),
    ],
    ["anthropic", "a plain text", 15_000, document({ type: "text", media_type: "text/plain", data: csv })],
  ] as const)("MON-018 counts at %s %s by its size: %d tokens", (provider, _, tokens, body) => {
    expect(sizeOf(body, provider).mediaTokens).toBe(tokens);
    expect(sizeOf(body, provider).bytes).toBeLessThan(200);
  });

  it.each([
    ["a conversation", 10_000, { input: "go on", previous_response_id: "resp_1" }],
    ["none", 0, { input: "go on", previous_response_id: null }],
    ["a prompt", 10_000, { prompt: { id: "pmpt_1", version: "2" } }],
    ["a file of chats", 10_000, chatFile({ file_id: "file-1" })],
    ["a file of responses", 10_000, responses({ type: "input_file", file_id: "file-1" })],
    ["a file on the web", 10_000, responses({ type: "input_file", file_url: "https://example.com/a.pdf" })],
    ["a document", 10_000, document({ type: "file", file_id: "file_1" })],
    ["a document on the web", 10_000, document({ type: "url", url: "https://example.com/a.pdf" })],
    ["a stored image", 1000, ofParts({ type: "image", source: { type: "file", file_id: "file_1" } })],
    ["an image on the web", 1000, responses({ type: "input_image", image_url: "https://example.com/a.png" })],
    [
      "a file at google",
      10_000,
      ofParts({
        type: "image_url",
        image_url: { url: "https://generativelanguage.googleapis.com/v1beta/files/a" },
      }),
    ],
    ["an earlier message", 1000, { input: [{ type: "item_reference", id: "msg_1" }] }],
    [
      "nothing: arguments of a tool",
      0,
      ofParts({ type: "tool_use", input: { file_id: "1", url: "https://example.com" } }),
    ],
  ])("MON-018 counts what the request only references: %s, %d tokens", (_, tokens, body) => {
    expect(sizeOf(body).mediaTokens).toBe(tokens);
  });

  it("counts a tool's long argument as text, whatever its name", () => {
    const data = "A sentence of plain words, and another one. ".repeat(2000);
    expect(sizeOf(ofParts({ type: "tool_use", input: { data } })).bytes).toBeGreaterThan(data.length);
  });

  const wav = (bytesPerSecond: number, seconds: number) => {
    const audio = Buffer.alloc(bytesPerSecond * seconds);
    audio.write("RIFF", 0, "latin1");
    audio.writeUInt32LE(bytesPerSecond, 28);
    return audio.toString("base64");
  };
  it.each([
    ["openai", "wav", wav(48_000, 30), 300],
    ["google", "wav", wav(48_000, 30), 960],
    ["openai", "wav", wav(16_000, 30), 300],
    ["openai", "mp3", Buffer.alloc(240_000).toString("base64"), 300],
  ] as const)(
    "MON-018 counts 30 seconds of audio by their duration: %s, %s",
    (provider, format, data, tokens) => {
      const body = ofParts({ type: "input_audio", input_audio: { data, format } });
      expect(sizeOf(body, provider)).toMatchObject({ mediaTokens: 0, audioTokens: tokens });
    },
  );

  it.each([
    ["anthropic", undefined, "cache_write"],
    ["anthropic", "5m", "cache_write"],
    ["anthropic", "1h", "cache_write_1h"],
    ["openai", "1h", null],
  ] as const)("MON-018 notes marks for the cache of %s, lifetime %s: %s", (provider, ttl, kind) => {
    const body = ofParts({ type: "text", text: "hi", cache_control: { type: "ephemeral", ttl } });
    expect(sizeOf(body, provider).cacheWrite).toBe(kind);
  });

  it.each([
    ["openai", { prompt_cache_options: { ttl: "12h" } }, "cache_write_1h"],
    ["openai", { prompt_cache_options: { ttl: "30m" } }, null],
    ["openai", { input: [{ prompt_cache_breakpoint: { mode: "explicit", ttl: "12h" } }] }, "cache_write_1h"],
    ["anthropic", { prompt_cache_options: { ttl: "12h" } }, null],
  ] as const)("MON-018 notes the lifetime that %s is asked for: %j", (provider, body, kind) => {
    expect(sizeOf(body, provider).cacheWrite).toBe(kind);
  });

  it("counts long text in full", () => {
    const text = "A sentence of plain words, and another one. ".repeat(2000);
    expect(sizeOf({ content: text }).bytes).toBeGreaterThanOrEqual(text.length);
  });

  it("handles a very deeply nested body", () => {
    let deep: unknown = "x".repeat(20_000);
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(bytesOf(deep, 220_000)).toBeGreaterThan(0);
  });

  it("counts names, text, numbers and booleans anywhere, and nothing for null", () => {
    const body = { ab: ["cde", 1, [true, null, { f: "ä" }]], g: { hi: 2.5 }, j: null };
    expect(bytesOf(body, 1_000_000)).toBe(2 + 3 + 4 + 4 + 1 + 2 + 1 + 2 + 4 + 1);
  });

  // Each takes about a tenth of the limit; allocating for each element would take several times as long as the limit.
  for (const [what, item, count, bytes] of [
    ["5 million numbers", "0", 5_000_000, 10_000_000],
    ["2.5 million empty lists", "[]", 2_500_000, 1],
    ["2.5 million empty objects", "{}", 2_500_000, 1],
  ] as const) {
    it(`does not block the gateway on ${what}`, async () => {
      const body: unknown = JSON.parse(`{"a":[${`${item},`.repeat(count - 1)}${item}]}`);
      const spentMs = await cpuTimeMs(() => expect(bytesOf(body, 10_000_000)).toBe(bytes));
      expect(spentMs).toBeLessThan(1000);
    });
  }
});

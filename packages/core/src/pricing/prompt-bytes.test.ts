import { describe, expect, it } from "bun:test";
import { cpuTimeMs } from "../../../../test/support/cpu-time.ts";
import { promptBytes } from "./prompt-bytes.ts";

const image = "iVBORw0KGgo".repeat(40_000);
const ofBody = (body: unknown) => promptBytes(body, Buffer.byteLength(JSON.stringify(body)));

describe("promptBytes", () => {
  it("counts a small body completely", () => {
    const body = { messages: [{ role: "user", content: "hi" }] };
    expect(ofBody(body)).toBe(JSON.stringify(body).length);
  });

  it("MON-010 counts an image as an image, not as 400 KB of text, in both dialects", () => {
    const chat = {
      content: [{ image_url: { url: `data:image/png;base64,${image}` } }, { text: "what is this?" }],
    };
    const messages = { content: [{ source: { type: "base64", data: image } }, { text: "what is this?" }] };
    for (const body of [chat, messages]) {
      expect(ofBody(body)).toBeGreaterThan(4000);
      expect(ofBody(body)).toBeLessThan(4200);
    }
  });

  it("MON-018 counts a conversation stored at the provider, which the request only references", () => {
    const body = { model: "gpt-5", input: "go on", previous_response_id: "resp_1" };
    expect(ofBody(body)).toBe(JSON.stringify(body).length + 40_000);
    const none = { ...body, previous_response_id: null };
    expect(ofBody(none)).toBe(JSON.stringify(none).length);
  });

  it("counts long text in full", () => {
    const text = "A sentence of plain words, and another one. ".repeat(2000);
    expect(ofBody({ content: text })).toBeGreaterThanOrEqual(text.length);
  });

  it("handles a very deeply nested body", () => {
    let deep: unknown = "x".repeat(20_000);
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(promptBytes(deep, 220_000)).toBeGreaterThan(0);
  });

  it("counts names, text, numbers and booleans anywhere, and nothing for null", () => {
    const body = { ab: ["cde", 1, [true, null, { f: "ä" }]], g: { hi: 2.5 }, j: null };
    expect(promptBytes(body, 1_000_000)).toBe(2 + 3 + 4 + 4 + 1 + 2 + 1 + 2 + 4 + 1);
  });

  // Each takes about a tenth of the limit; it used to take six seconds.
  for (const [what, item, count, bytes] of [
    ["5 million numbers", "0", 5_000_000, 10_000_000],
    ["2.5 million empty lists", "[]", 2_500_000, 1],
    ["2.5 million empty objects", "{}", 2_500_000, 1],
  ] as const) {
    it(`does not block the gateway on ${what}`, async () => {
      const body: unknown = JSON.parse(`{"a":[${`${item},`.repeat(count - 1)}${item}]}`);
      const spentMs = await cpuTimeMs(() => expect(promptBytes(body, 10_000_000)).toBe(bytes));
      expect(spentMs).toBeLessThan(1000);
    });
  }
});

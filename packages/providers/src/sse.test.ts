import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { MAX_FRAME_BYTES, type SseFrame, SseSplitter } from "./sse.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function splitAll(stream: Uint8Array, cuts: readonly number[]): SseFrame[] {
  const splitter = new SseSplitter();
  const frames: SseFrame[] = [];
  let from = 0;
  for (const cut of [...cuts, stream.length]) {
    frames.push(...splitter.push(stream.subarray(from, cut)));
    from = cut;
  }
  const rest = splitter.end();
  if (rest) frames.push(rest);
  return frames;
}

const meaning = (frames: SseFrame[]) =>
  frames.filter(f => f.data !== null || f.event !== null).map(f => ({ event: f.event, data: f.data }));

const sample = [
  ": a comment",
  "",
  'event: message_start\ndata: {"text":"grüße, 世界 🚀"}   ',
  "",
  "data: one\ndata: two",
  "",
  "data:[DONE]",
  "",
  "",
].join("\n");

describe("SseSplitter", () => {
  it("reads events, data, comments and several data lines", () => {
    expect(meaning(splitAll(bytes(sample), []))).toEqual([
      { event: "message_start", data: '{"text":"grüße, 世界 🚀"}   ' },
      { event: null, data: "one\ntwo" },
      { event: null, data: "[DONE]" },
    ]);
  });

  it.each([
    ["data: {}\n\n", [{ event: null, data: "{}" }]],
    ["event: ping\ndata: {}\n\n", [{ event: "ping", data: "{}" }]],
    ["event: \ndata:  two blanks\n\n", [{ event: "", data: " two blanks" }]],
    ["data: \uFEFFmark\n\n", [{ event: null, data: "\uFEFFmark" }]],
    ["\uFEFFdata: first\n\n", [{ event: null, data: "first" }]],
    ["data: one\revent: ping\n\n", [{ event: "ping", data: "one" }]],
    ["event: ping\nevent: pong\ndata: {}\n\n", [{ event: "pong", data: "{}" }]],
    ["event: ping\n\n", [{ event: "ping", data: null }]],
    ["event: ping\ndata:\n\n", [{ event: "ping", data: null }]],
    ["data:\n\ndata: \n\ndata\n\ndata: one\n\n", [{ event: null, data: "one" }]],
    [
      "data: one\n\ndata: two\n\n",
      [
        { event: null, data: "one" },
        { event: null, data: "two" },
      ],
    ],
    ["data: one\n\n\n", [{ event: null, data: "one" }]],
    ["data: one\nid: 1\n\n", [{ event: null, data: "one" }]],
    ["id: 1\ndata: one\n\n", [{ event: null, data: "one" }]],
  ])("reads %j", (stream, expected) => {
    expect(meaning(splitAll(bytes(stream), []))).toEqual(expected);
  });

  it("GW-037 keeps every byte and the same meaning for any chunking, even one byte at a time", () => {
    for (const lineEnd of ["\n", "\r\n", "\r"]) {
      const stream = bytes(sample.replaceAll("\n", lineEnd));
      const whole = meaning(splitAll(stream, []));
      for (let cut = 0; cut <= stream.length; cut++) {
        const frames = splitAll(stream, [cut]);
        expect(meaning(frames)).toEqual(whole);
        expect(Buffer.concat(frames.map(f => f.raw)).equals(Buffer.from(stream))).toBe(true);
      }
    }
  });

  it("keeps every byte and the same meaning for random streams, line ends and chunks", () => {
    const line = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 20 }).map(t => `data: ${t.replace(/[\r\n]/g, "")}`),
      fc.constantFrom(": comment", "event: ping", "", "nonsense", "data"),
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\n\n", "\r\n\r\n")), { maxLength: 30 }),
        fc.array(fc.nat(), { maxLength: 10 }),
        (lines, rawCuts) => {
          const stream = bytes(lines.map(([text, end]) => text + end).join(""));
          const cuts = rawCuts.map(n => (stream.length ? n % stream.length : 0)).sort((a, b) => a - b);
          const frames = splitAll(stream, cuts);
          expect(Buffer.concat(frames.map(f => f.raw)).equals(Buffer.from(stream))).toBe(true);
          expect(meaning(frames)).toEqual(meaning(splitAll(stream, [])));
        },
      ),
    );
  });

  it("forwards an endless line in pieces without storing it, and reads what follows", () => {
    const splitter = new SseSplitter();
    const piece = new Uint8Array(512 * 1024).fill(120);
    let forwarded = 0;
    for (let i = 0; i < 32; i++) for (const frame of splitter.push(piece)) forwarded += frame.raw.length;
    expect(forwarded).toBeGreaterThan(16 * 1024 * 1024 - MAX_FRAME_BYTES);
    const after = splitter.push(bytes("\n\ndata: next\n\n"));
    expect(after.map(f => f.data)).toEqual([null, "next"]);
  });

  it("MON-018 reads event and short fields of a frame that is too long to store, even without its blank line", () => {
    const long = `event: e\ndata: {"image":"${"A".repeat(MAX_FRAME_BYTES + 500_000)}","usage":{"n":3}}`;
    const cuts = Array.from({ length: 100 }, (_, n) => n * 100_000).filter(cut => cut < long.length);
    for (const close of ["\n\n", ""]) {
      const frames = splitAll(bytes(long + close), cuts);
      const last = frames.at(-1);
      expect(Buffer.concat(frames.map(f => f.raw)).toString() === long + close).toBe(true);
      expect(frames.slice(0, -1).every(f => f.oversized === "part" && f.data === null)).toBe(true);
      expect([last?.oversized, last?.event]).toEqual(["end", "e"]);
      expect(JSON.parse(last?.data ?? "")).toMatchObject({ usage: { n: 3 } });
    }
  });
});

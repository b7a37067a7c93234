import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { LongFrame } from "./long-frame.ts";

function read(text: string, sliceBytes = 1 << 16) {
  const frame = new LongFrame();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += sliceBytes) frame.push(bytes.subarray(at, at + sliceBytes));
  return frame.end();
}

describe("LongFrame", () => {
  it("GW-037 reads the same event and JSON for any chunking and line end", () => {
    const lines = [
      ": a comment",
      "id: 7",
      "event: first",
      "event:second",
      'data: {"a":[1,',
      'data:"é: b"]}',
      "",
      "",
    ];
    for (const lineEnd of ["\n", "\r\n", "\r"]) {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 90 }), slice => {
          const { event, data } = read(lines.join(lineEnd), slice);
          expect(event).toBe("second");
          expect(JSON.parse(data ?? "")).toEqual({ a: [1, "é: b"] });
        }),
      );
    }
  });

  it("keeps what is short, whatever is long beside it", () => {
    const { data } = read(`data: {"type":"t","image":"${"A".repeat(100_000)}","usage":{"n":3}}\n\n`, 999);
    expect(JSON.parse(data ?? "")).toMatchObject({ type: "t", usage: { n: 3 } });
    expect(data?.length).toBeLessThan(400);
  });

  it("has no data if the JSON is incomplete, or there is none", () => {
    expect(read('event: e\ndata: {"a":"b').data).toBeNull();
    expect(read("event: e\ndata\n\n")).toEqual({ event: "e", data: null });
    expect(read(`${"x".repeat(10_000)}: y\n\n`)).toEqual({ event: null, data: null });
  });
});

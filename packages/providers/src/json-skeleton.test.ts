import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { JsonSkeleton } from "./json-skeleton.ts";

function skeletonOf(json: string, sliceBytes = 1 << 16): unknown {
  const skeleton = new JsonSkeleton();
  const bytes = Buffer.from(json);
  for (let at = 0; at < bytes.length; at += sliceBytes) skeleton.push(bytes.subarray(at, at + sliceBytes));
  const text = skeleton.end();
  return text === null ? null : JSON.parse(text);
}

describe("the skeleton of a large JSON", () => {
  it("MON-018 keeps the usage and the names of embeddings, without their vectors", () => {
    const vector = Array.from({ length: 3072 }, (_, at) => at / 7);
    const answer = {
      object: "list",
      data: Array.from({ length: 50 }, (_, index) => ({ object: "embedding", index, embedding: vector })),
      model: "text-embedding-3-large",
      usage: { prompt_tokens: 200_000, total_tokens: 200_000 },
    };
    const skeleton = new JsonSkeleton();
    skeleton.push(Buffer.from(JSON.stringify(answer, null, 2)));
    const text = skeleton.end() ?? "";
    expect(text.length).toBeLessThan(10_000);
    expect(JSON.parse(text)).toMatchObject({ model: answer.model, usage: answer.usage });
    expect(JSON.parse(text).data).toHaveLength(50);
  });

  it("does not depend on chunk boundaries, and equals the JSON if nothing in it is long", () => {
    const short = fc.string({ maxLength: 40, unit: "binary" });
    const value = fc.jsonValue().filter(isShort);
    fc.assert(
      fc.property(
        value,
        short,
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        (inner, text, slice, pretty) => {
          const json = JSON.stringify({ inner, [text]: text }, null, pretty ? 1 : 0);
          expect(skeletonOf(json, slice)).toEqual(JSON.parse(json));
        },
      ),
    );
  });

  it("truncates long strings without splitting an escape", () => {
    for (let offset = 0; offset < 12; offset++) {
      const text = `${"x".repeat(245 + offset)}${'\\u00e9\\n\\\\\\"'.repeat(400)}`;
      const read = skeletonOf(`{"long": "${text}", "usage": {"a": 1}}`, 7) as { long: string };
      expect(read).toMatchObject({ usage: { a: 1 } });
      expect(read.long.length).toBeLessThan(300);
    }
  });

  it.each(['{"a": [1, 2', '{"a": "b', "", '{"a": {"b": 1}'])("returns null for incomplete JSON: %j", json => {
    expect(skeletonOf(json)).toBeNull();
  });

  it("gives up on endless structure instead of storing it", () => {
    const skeleton = new JsonSkeleton();
    const block = Buffer.from('{"a":"b"},'.repeat(100_000));
    skeleton.push(Buffer.from('{"list":['));
    for (let count = 0; count < 20; count++) skeleton.push(block);
    skeleton.push(Buffer.from("1]}"));
    expect(skeleton.end()).toBeNull();
  });
});

/** Nothing in it is long enough to be cut. */
function isShort(value: unknown): boolean {
  if (typeof value === "string") return Buffer.byteLength(JSON.stringify(value)) < 250;
  if (Array.isArray(value))
    return (
      value.filter(item => item === null || typeof item !== "object").length <= 4 && value.every(isShort)
    );
  if (typeof value === "object" && value !== null)
    return Object.entries(value).every(([name, item]) => isShort(name) && isShort(item));
  return true;
}

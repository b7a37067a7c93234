import { describe, expect, it } from "bun:test";
import { z } from "zod";
import { parseAnswer } from "./parse-answer.ts";

const schema = z.strictObject({ a: z.int(), list: z.array(z.strictObject({ b: z.string() })) });

describe("parseAnswer", () => {
  it("removes additional fields of a newer web API at any depth", () => {
    const answer = { a: 1, newer: true, list: [{ b: "x", newer: 1 }, { b: "y" }] };
    expect(parseAnswer(schema, answer)).toEqual({ a: 1, list: [{ b: "x" }, { b: "y" }] });
  });

  it("throws for a missing field or a wrong type", () => {
    expect(() => parseAnswer(schema, { a: "1", list: [] })).toThrow();
    expect(() => parseAnswer(schema, { list: [], newer: 1 })).toThrow();
  });
});

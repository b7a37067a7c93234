import { describe, expect, it } from "bun:test";
import { z } from "zod";
import { parseAnswer } from "./parse-answer.ts";

const schema = z.strictObject({ a: z.int(), list: z.array(z.strictObject({ b: z.string() })) });

describe("parseAnswer", () => {
  it("leaves out what a newer web API says beside, at any depth", () => {
    const answer = { a: 1, newer: true, list: [{ b: "x", newer: 1 }, { b: "y" }] };
    expect(parseAnswer(schema, answer)).toEqual({ a: 1, list: [{ b: "x" }, { b: "y" }] });
  });

  it("does not let pass what is missing or of another type", () => {
    expect(() => parseAnswer(schema, { a: "1", list: [] })).toThrow();
    expect(() => parseAnswer(schema, { list: [], newer: 1 })).toThrow();
  });
});

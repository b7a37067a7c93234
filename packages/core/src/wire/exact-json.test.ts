import { describe, expect, it } from "bun:test";
import { isLargeNumber, numberOf, parseExactly } from "./exact-json.ts";

describe("parseExactly", () => {
  it.each([
    '{"id":1234567890123456789,"more":[-9007199254740993,{"deep":9223372036854775807}]}',
    "[9007199254740991,9007199254740992,9007199254740993]",
    '{"text":"1234567890123456789 in a text","small":7}',
    '{"constructor":12345678901234567890,"rawJSON":"1"}',
    "[12345678901234567890123456789012345678901234567890]",
  ])("GW-019 keeps every digit of %s", text => {
    expect(JSON.stringify(parseExactly(text))).toBe(text);
  });

  it("does not change any other value", () => {
    const text =
      '{"a":1.5,"b":[null,true,"9007199254740993"],"c":0.1234567890123456789,"d":9007199254740991}';
    expect(parseExactly(text)).toEqual(JSON.parse(text));
  });

  it("throws for invalid JSON, with and without long numbers", () => {
    for (const text of ["{", '{"a":1234567890123456789', "01234567890123456789"]) {
      expect(() => parseExactly(text)).toThrow(SyntaxError);
    }
  });

  it("scans two million characters per turn, in one text or many, and rounds beyond them", async () => {
    const long = (length: number) => `[9007199254740993,"${"x".repeat(length - 21)}"]`;
    const most = 2_097_152;
    expect(parseExactly(long(most + 1))).toEqual(JSON.parse(long(most + 1)));
    for (const parts of [1, 8]) {
      await Promise.resolve();
      for (let part = 0; part < parts; part++) {
        expect(JSON.stringify(parseExactly(long(most / parts)))).toBe(long(most / parts));
      }
      expect(parseExactly(long(30))).toEqual(JSON.parse(long(30)));
    }
    await Promise.resolve();
    expect(JSON.stringify(parseExactly(long(30)))).toBe(long(30));
  });

  it("rounds a large number for calculation", () => {
    const [large] = parseExactly("[7435412345678901234]") as unknown[];
    expect([large, 7, "7", null, { rawJSON: "7" }].map(numberOf)).toEqual([
      Number("7435412345678901234"),
      7,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("distinguishes a large number from an object", () => {
    expect([parseExactly(" 12345678901234567890"), { rawJSON: "1" }, 7, null].map(isLargeNumber)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

import { describe, expect, it } from "bun:test";
import { changeSince, compactCount, count, percent, plural, shareOf, signedPercent } from "./counts.ts";

describe("counts", () => {
  it("have separators, and a singular", () => {
    expect([count(1_234_567), compactCount(1_234_567), plural(1, "call"), plural(2000, "call")]).toEqual([
      "1,234,567",
      "1.2M",
      "1 call",
      "2,000 calls",
    ]);
  });

  it("DASH-005 that are not known are a dash, not a zero", () => {
    expect([count(null), count(undefined), percent(null), percent(Number.NaN)]).toEqual(Array(4).fill("–"));
  });
});

describe("shares", () => {
  it.each([
    [0, "0%"],
    [0.0004, "0.04%"],
    [0.1234, "12.3%"],
    [0.000005, "<0.01%"],
    [1e-16, "0%"],
    [0.99949, "99.9%"],
    [0.99996, "99.99%"],
    [1, "100%"],
    [12.345, "1,235%"],
  ])("%d is %s", (share, text) => expect(percent(share)).toBe(text));

  it("of nothing, and changes since nothing, are not known", () => {
    expect([shareOf(0, 0), changeSince(0, 5), changeSince(undefined, 5)]).toEqual([null, null, null]);
    expect(signedPercent(changeSince(100, 150))).toBe("+50%");
    expect(signedPercent(changeSince(100, 50))).toBe("-50%");
  });

  it("that round to nothing have no sign", () => {
    expect([-1e-16, -0, 0, 1e-16, 0.00001].map(signedPercent)).toEqual(Array(5).fill("0%"));
  });

  it("to a multiple are one", () => {
    expect([changeSince(1, 10.9), changeSince(1, 11), changeSince(8, 7256)].map(signedPercent)).toEqual([
      "+990%",
      "×11",
      "×907",
    ]);
  });

  it("to almost nothing are not the loss of everything", () => {
    expect(signedPercent(changeSince(10_009, 0.44))).toBe("-99.99%");
    expect(signedPercent(changeSince(10_009, 0))).toBe("-100%");
  });
});

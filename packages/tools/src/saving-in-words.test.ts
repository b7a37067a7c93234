import { describe, expect, it } from "bun:test";
import { toEnvelope } from "@tollgate/core/contract/fields/envelope";
import { savingInWords } from "./saving-in-words.ts";

const ofPairs = (value: number | null, low: number, high: number) =>
  savingInWords(toEnvelope({ method: "paired_t", value, interval: { low, high } }, 0), "a call");

describe("a saving", () => {
  it("is stated with its interval", () => {
    expect(ofPairs(200_000, 100_000, 300_000)).toBe("$0.02 saved a call (between $0.01 and $0.03)");
    expect(savingInWords(toEnvelope({ method: "sum", value: 200_000 }, 0), "a month")).toBe(
      "$0.02 saved a month",
    );
    expect(ofPairs(null, 0, 0)).toBe("savings unknown");
  });

  it("may be chance if its interval includes 0", () => {
    expect(ofPairs(200_000, -100_000, 500_000)).toBe(
      "$0.02 saved a call (between -$0.01 and $0.05, so it may be chance)",
    );
    expect(ofPairs(0, 0, 0)).toBe("$0.00 saved a call (between $0.00 and $0.00)");
  });

  it("below 0 is an extra cost", () => {
    expect(ofPairs(-200_000, -300_000, -100_000)).toBe("$0.02 more a call (between $0.01 and $0.03)");
  });
});

import { afterEach, expect, it } from "bun:test";
import { requireTime } from "./command-options.ts";

const { TZ } = process.env;

afterEach(() => {
  if (TZ === undefined) delete process.env.TZ;
  else process.env.TZ = TZ;
});

const read = (text: string) => new Date(requireTime({ options: { from: text } }, "from")).toISOString();

it("a time without an offset is UTC, also where the clock of the machine is not", () => {
  process.env.TZ = "America/New_York";
  expect(new Date(2026, 0).getTimezoneOffset()).toBe(300);
  expect(read("2026-11-01")).toBe("2026-11-01T00:00:00.000Z");
  expect(read("2026-11-01T12:00:00")).toBe("2026-11-01T12:00:00.000Z");
  expect(read("2026-11-01T12:00:00+02:00")).toBe("2026-11-01T10:00:00.000Z");
});

it.each(["2026-11-31", "2027-02-29", "11/01/2026", "2026", "1", "yesterday", ""])(
  "%p is refused as a time",
  text => {
    expect(() => read(text)).toThrow("--from ");
  },
);

import { expect } from "bun:test";

const timeName = /(^|_)(at|timestamp|from|to|earliest|latest|until|since|data_through)$/;
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const isoDate = /^\d{4}-\d\d-\d\d$/;

/**
 * Requires ISO 8601 for every time in an answer, at any depth, and returns how many there were. A number in the range
 * of current epoch times, in milliseconds or seconds, is a forgotten one, whatever its name.
 */
export function expectIsoTimes(where: string, value: unknown, name = ""): number {
  if (Array.isArray(value)) return value.reduce((sum, one) => sum + expectIsoTimes(where, one, name), 0);
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).reduce(
      (sum, [field, inner]) => sum + expectIsoTimes(where, inner, field),
      0,
    );
  }
  if (typeof value === "number") {
    const isEpoch = (value > 1.7e9 && value < 1.9e9) || (value > 1.7e12 && value < 1.9e12);
    expect([where, name, value, isEpoch]).toEqual([where, name, value, false]);
    return 0;
  }
  if (name === "date" || name === "day") {
    expect([where, name, value]).toEqual([where, name, expect.stringMatching(isoDate)]);
    return 1;
  }
  if (!timeName.test(name) || value === null) return 0;
  expect([where, name, value]).toEqual([where, name, expect.stringMatching(isoTime)]);
  return 1;
}

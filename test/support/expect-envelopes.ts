import { expect } from "bun:test";
import { envelope } from "@tollgate/core/contract/fields/envelope";

const fields = Object.keys(envelope.shape).toSorted().join();

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isEnvelope = (names: object) => Object.keys(names).toSorted().join() === fields;

/** The paths of all numbers that a JSON schema allows outside an envelope. */
export function bareNumbersOf(schema: unknown, path = "$"): string[] {
  if (Array.isArray(schema))
    return schema.flatMap((inner, index) => bareNumbersOf(inner, `${path}.${index}`));
  if (!isObject(schema)) return [];
  if (isObject(schema.properties) && isEnvelope(schema.properties)) return [];
  const own = [schema.type].flat().some(type => type === "number" || type === "integer") ? [path] : [];
  // A schema without a type allows any value, numbers too.
  const isOpen = Object.keys(schema).every(key => key === "description" || key === "additionalProperties");
  const inner = Object.entries(schema).flatMap(([key, value]) =>
    key === "additionalProperties" && value === false ? [] : bareNumbersOf(value, `${path}.${key}`),
  );
  return [...own, ...(isOpen && path !== "$" ? [`${path} (anything)`] : []), ...inner];
}

/** Every number in a loop-metric tool's answer is in an envelope, and every envelope is consistent. */
export function expectEnvelopes(name: string, answer: unknown): number {
  let seen = 0;
  const walk = (value: unknown, path: string): void => {
    if (typeof value === "number") throw new Error(`${name}: a bare number at ${path}`);
    if (Array.isArray(value)) {
      for (const [index, inner] of value.entries()) walk(inner, `${path}[${index}]`);
    } else if (isObject(value) && isEnvelope(value)) {
      seen++;
      expectEnvelope(`${name} ${path}`, value);
    } else if (isObject(value)) {
      for (const [key, inner] of Object.entries(value)) walk(inner, `${path}.${key}`);
    }
  };
  walk(answer, "$");
  return seen;
}

function expectEnvelope(place: string, value: unknown): void {
  const { value: shown, ci_low: low, ci_high: high, method, data_through: through } = envelope.parse(value);
  expect([place, (low === null) === (high === null)]).toEqual([place, true]);
  if (low !== null && high !== null) {
    expect([place, shown !== null && low <= shown && shown <= high]).toEqual([place, true]);
    expect([place, ["count", "sum", "exact"].includes(method)]).toEqual([place, false]);
  }
  if (through !== null) expect([place, new Date(through).toISOString()]).toEqual([place, through]);
}

import type { JsonObject } from "@tollgate/core/wire/json-fields";
import { isJsonObject } from "@tollgate/core/wire/json-fields";
import { listOf, numberOrNull, objectOf, textOf } from "./json-object.ts";

/** Below this depth only required properties are filled in. */
const MAX_DEPTH = 6;
/** Stops recursive schemas, which would never end, and wide ones, which would fill the memory. */
const DEEPEST = 24;
const MAX_VALUES = 2_000;
const LONGEST = 10_000;

interface Place {
  readonly root: JsonObject;
  /** A name from the user's text, or null. */
  readonly name: string | null;
  readonly key: string;
  readonly depth: number;
  readonly budget: { left: number };
}

/**
 * A value that fits the schema: JSON Schema, or Gemini's subset of OpenAPI (upper-case types, `nullable`).
 * Unconstrained strings use a word from the user's text, so that a call looks realistic.
 */
export function sampleFromSchema(schema: JsonObject, userText: string): unknown {
  const name = /(?<=\S\s+)\p{Lu}\p{Ll}{2,}(?: \p{Lu}\p{Ll}+)*/u.exec(userText.slice(0, LONGEST))?.[0] ?? null;
  return sample(schema, { root: schema, name, key: "value", depth: 0, budget: { left: MAX_VALUES } });
}

function sample(schema: unknown, place: Place): unknown {
  place.budget.left -= 1;
  if (place.depth > DEEPEST || place.budget.left < 0) return null;
  if (!isJsonObject(schema)) return namedWord(place);
  const target = resolve(schema, place);
  if ("const" in target) return target.const;
  const choices = listOf(target.enum);
  if (choices.length > 0) return choices.find(choice => choice !== null) ?? null;
  if ("default" in target) return target.default;
  const branches = [...listOf(target.anyOf), ...listOf(target.oneOf)];
  const branch = branches.find(candidate => typeOf(objectOf(candidate)) !== "null") ?? branches[0];
  if (branch !== undefined)
    return sample(mergeSchemas([{ ...target, anyOf: undefined, oneOf: undefined }, branch]), deeper(place));
  switch (typeOf(target)) {
    case "object":
      return sampleObject(target, place);
    case "array":
      return sampleArray(target, place);
    case "string":
      return sampleString(target, place);
    case "integer":
      return sampleNumber(target, true);
    case "number":
      return sampleNumber(target, false);
    case "boolean":
      // Flags of real tools run things in the background or disable safeguards.
      return false;
    case "null":
      return null;
    default:
      return namedWord(place);
  }
}

function typeOf(schema: JsonObject): string {
  const named = Array.isArray(schema.type)
    ? (schema.type.find(type => textOf(type).toLowerCase() !== "null") ?? "null")
    : schema.type;
  if (typeof named === "string") return named.toLowerCase();
  if ("properties" in schema) return "object";
  if ("items" in schema) return "array";
  return "";
}

function resolve(schema: JsonObject, place: Place): JsonObject {
  let target = schema;
  for (let hops = 0; typeof target.$ref === "string" && hops < 16; hops += 1) {
    const { $ref: reference, ...beside } = target;
    target = { ...lookUp(textOf(reference), place.root), ...beside };
  }
  const parts = place.depth > DEEPEST ? [] : listOf(target.allOf);
  if (parts.length === 0) return target;
  const resolved = parts.map(part => resolve(objectOf(part), deeper(place)));
  return mergeSchemas([{ ...target, allOf: undefined }, ...resolved]);
}

function lookUp(reference: string, root: JsonObject): JsonObject {
  if (!reference.startsWith("#")) return {};
  let target: unknown = root;
  for (const step of reference.slice(1).split("/").filter(Boolean)) {
    target = objectOf(target)[step.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return objectOf(target);
}

function mergeSchemas(parts: readonly unknown[]): JsonObject {
  const merged: Record<string, unknown> = {};
  for (const part of parts.map(objectOf)) {
    for (const [key, value] of Object.entries(part)) {
      if (value === undefined) continue;
      if (key === "properties") merged[key] = { ...objectOf(merged[key]), ...objectOf(value) };
      else if (key === "required") merged[key] = [...listOf(merged[key]), ...listOf(value)];
      else merged[key] = value;
    }
  }
  return merged;
}

function sampleObject(schema: JsonObject, place: Place): JsonObject {
  const properties = objectOf(schema.properties);
  const required = new Set(listOf(schema.required));
  const value: Record<string, unknown> = {};
  for (const [key, property] of Object.entries(properties)) {
    if (place.depth >= MAX_DEPTH && !required.has(key)) continue;
    value[key] = sample(property, { ...deeper(place), key });
  }
  for (const key of required) {
    if (typeof key === "string" && !(key in value)) value[key] = namedWord({ ...place, key });
  }
  return value;
}

function sampleArray(schema: JsonObject, place: Place): unknown[] {
  const fixed = listOf(schema.prefixItems);
  if (fixed.length > 0) return fixed.map(item => sample(item, deeper(place)));
  const least = numberOrNull(schema.minItems) ?? (place.depth >= MAX_DEPTH ? 0 : 1);
  const most = numberOrNull(schema.maxItems) ?? Number.POSITIVE_INFINITY;
  const length = Math.min(Math.max(least, 0), most, 64);
  return Array.from({ length }, () => sample(schema.items, deeper(place)));
}

const formats: Readonly<Record<string, string>> = {
  "date-time": "2026-01-15T09:30:00Z",
  date: "2026-01-15",
  time: "09:30:00Z",
  duration: "PT15M",
  email: "sam@example.com",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/",
  url: "https://example.com/",
  uuid: "0b7e0d3c-5a0e-4c8e-a5b0-3f1f6f0a2d11",
};

/** Tried in order if a pattern does not match a word; patterns are not inverted. */
const patternGuesses = [
  "a",
  "A",
  "abc",
  "ABC",
  "0",
  "1",
  "12",
  "123",
  "12345",
  "a1",
  "A1",
  "AB",
  "ab-1",
  "2026-01-15",
  "09:30",
  "#a1b2c3",
  "1.0.0",
];

function sampleString(schema: JsonObject, place: Place): string {
  const format = formats[textOf(schema.format)];
  if (format !== undefined) return format;
  const least = Math.min(numberOrNull(schema.minLength) ?? 0, LONGEST);
  const most = numberOrNull(schema.maxLength) ?? Number.POSITIVE_INFINITY;
  const word = namedWord(place);
  const fitted = [...word.padEnd(least, "x")].slice(0, most).join("");
  const pattern = typeof schema.pattern === "string" ? compile(schema.pattern) : null;
  if (!pattern || pattern.test(fitted)) return fitted;
  const length = (guess: string) => guess.length >= least && guess.length <= most;
  return patternGuesses.find(guess => length(guess) && pattern.test(guess)) ?? fitted;
}

function compile(pattern: string): RegExp | null {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return null;
  }
}

/** A small integer if one fits: tools that declare counts as `number` reject half a line or half a second. */
function sampleNumber(schema: JsonObject, whole: boolean): number {
  const step = numberOrNull(schema.multipleOf) ?? 1;
  const above = numberOrNull(schema.exclusiveMinimum);
  const below = numberOrNull(schema.exclusiveMaximum);
  // Both bounds may be present: a library's smallest integer, and the intended 0.
  const least = extreme(Math.max, numberOrNull(schema.minimum), above);
  const most = extreme(Math.min, numberOrNull(schema.maximum), below);
  const fits = (value: number) =>
    (least === null || value >= least) &&
    (most === null || value <= most) &&
    (above === null || value > above) &&
    (below === null || value < below);
  const start =
    least === null ? (most === null ? step : Math.floor(most / step) * step) : Math.ceil(least / step) * step;
  const found = [step, start, start + step, start - step].find(fits);
  if (found !== undefined) return found;
  // The bounds are closer together than the step: any number between them is allowed.
  return least !== null && most !== null && !whole ? (least + most) / 2 : start;
}

function extreme(
  choose: (...values: number[]) => number,
  ...bounds: readonly (number | null)[]
): number | null {
  const given = bounds.filter(bound => bound !== null);
  return given.length === 0 ? null : choose(...given);
}

/** A name from the user's text, otherwise a word that identifies the field. */
function namedWord(place: Place): string {
  return place.name ?? `sample ${place.key}`;
}

function deeper(place: Place): Place {
  return { ...place, depth: place.depth + 1 };
}

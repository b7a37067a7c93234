/**
 * Checks JSON against a JSON schema. Both are untrusted, so it must not hang: unlike a library, it interprets the schema
 * without compiling it, runs none of its regular expressions, and gives up after a number of steps. It may therefore
 * return `unknown`, as for keywords that it does not evaluate: `pattern`, `patternProperties`, external references,
 * `unevaluated…`. Unknown keywords are ignored, as the standard requires, and `format` is only an annotation.
 */
import { isJsonObject, type JsonObject } from "../../wire/json-fields.ts";
import { sameJson } from "./same-json.ts";

export type Validity = "valid" | "invalid" | "unknown";

const MAX_STEPS = 10_000;
const MAX_DEPTH = 100;
/** Steps charged for comparing with a list or an object. */
const STEPS_PER_COMPARISON = 100;
/** Characters per step. */
const CHARS_PER_STEP = 100;

export function checkSchema(schema: JsonObject, value: unknown): Validity {
  return new Check(schema).check(schema, value, 0);
}

const notEvaluated = [
  "pattern",
  "patternProperties",
  "unevaluatedProperties",
  "unevaluatedItems",
  "dependentSchemas",
  "dependencies",
  "$dynamicRef",
  "$recursiveRef",
];

class Check {
  #steps = 0;

  constructor(private readonly root: JsonObject) {}

  check(schema: unknown, value: unknown, depth: number): Validity {
    if (schema === true) return "valid";
    if (schema === false) return "invalid";
    if (!isJsonObject(schema) || depth > MAX_DEPTH || !this.#afford(1)) return "unknown";
    return every([
      () => (notEvaluated.some(keyword => keyword in schema) ? "unknown" : "valid"),
      () => checkType(schema, value),
      () => this.#checkValues(schema, value),
      () => this.#checkSize(schema, value),
      () => this.#checkFields(schema, value, depth),
      () => this.#checkItems(schema, value, depth),
      () => this.#checkReference(schema, value, depth),
      () => this.#checkCombined(schema, value, depth),
    ]);
  }

  #afford(steps: number): boolean {
    this.#steps += steps;
    return this.#steps <= MAX_STEPS;
  }

  #checkValues(schema: JsonObject, value: unknown): Validity {
    const allowed = "enum" in schema ? schema.enum : "const" in schema ? [schema.const] : undefined;
    if (allowed === undefined) return "valid";
    if (!Array.isArray(allowed)) return "unknown";
    const price = typeof value === "object" && value !== null ? STEPS_PER_COMPARISON : 1;
    if (!this.#afford(allowed.length * price)) return "unknown";
    return validIf(allowed.some(item => sameJson(item, value, 0)));
  }

  #checkSize(schema: JsonObject, value: unknown): Validity {
    if (typeof value === "number") return checkNumber(schema, value);
    if (typeof value === "string") {
      const { minLength, maxLength } = schema;
      if (minLength === undefined && maxLength === undefined) return "valid";
      if (!this.#afford(value.length / CHARS_PER_STEP)) return "unknown";
      return within(minLength, maxLength, () => [...value].length);
    }
    if (Array.isArray(value)) {
      return every([
        () => within(schema.minItems, schema.maxItems, () => value.length),
        () => (schema.uniqueItems === true ? this.#checkUnique(value) : "valid"),
      ]);
    }
    return isJsonObject(value)
      ? within(schema.minProperties, schema.maxProperties, () => Object.keys(value).length)
      : "valid";
  }

  #checkUnique(items: readonly unknown[]): Validity {
    const [compared, plain] = [items.filter(isComposite), items.filter(item => !isComposite(item))];
    if (!this.#afford(items.length + compared.length ** 2 * STEPS_PER_COMPARISON)) return "unknown";
    return validIf(
      new Set(plain).size === plain.length &&
        compared.every((item, index) => compared.slice(0, index).every(other => !sameJson(item, other, 0))),
    );
  }

  #checkFields(schema: JsonObject, value: unknown, depth: number): Validity {
    if (!isJsonObject(value)) return "valid";
    const fields = Object.entries(value);
    if (!this.#afford(fields.length)) return "unknown";
    const properties = isJsonObject(schema.properties) ? schema.properties : {};
    const { required, additionalProperties, propertyNames, dependentRequired } = schema;
    return every([
      () => this.#checkRequired(required, value),
      () =>
        everyItem(Object.entries(isJsonObject(dependentRequired) ? dependentRequired : {}), ([key, names]) =>
          Object.hasOwn(value, key) ? this.#checkRequired(names, value) : "valid",
        ),
      () =>
        everyItem(fields, ([key, field]) => {
          if (Object.hasOwn(properties, key)) return this.check(properties[key], field, depth + 1);
          if (additionalProperties === undefined) return "valid";
          const validity = this.check(additionalProperties, field, depth + 1);
          // A pattern might allow it.
          return validity === "invalid" && "patternProperties" in schema ? "unknown" : validity;
        }),
      () =>
        propertyNames === undefined
          ? "valid"
          : everyItem(fields, ([key]) => this.check(propertyNames, key, depth + 1)),
    ]);
  }

  #checkRequired(required: unknown, value: JsonObject): Validity {
    if (required === undefined) return "valid";
    // As a boolean it belongs to the property itself, in obsolete drafts.
    if (!Array.isArray(required) || !this.#afford(required.length)) return "unknown";
    return validIf(required.every(key => typeof key === "string" && Object.hasOwn(value, key)));
  }

  #checkItems(schema: JsonObject, value: unknown, depth: number): Validity {
    if (!Array.isArray(value)) return "valid";
    if (!this.#afford(value.length)) return "unknown";
    // Before 2020, lists of schemas were in `items`, and the rest in `additionalItems`.
    const isOlder = Array.isArray(schema.items);
    const first = isOlder ? schema.items : schema.prefixItems;
    const rest = isOlder ? schema.additionalItems : schema.items;
    const each = Array.isArray(first) ? first : [];
    return every([
      () =>
        everyItem([...value.entries()], ([index, item]) => {
          const schemaOfItem = index < each.length ? each[index] : rest;
          return schemaOfItem === undefined ? "valid" : this.check(schemaOfItem, item, depth + 1);
        }),
      () => ("contains" in schema ? this.#checkContains(schema, value, depth) : "valid"),
    ]);
  }

  #checkContains(schema: JsonObject, items: readonly unknown[], depth: number): Validity {
    const found = items.map(item => this.check(schema.contains, item, depth + 1));
    const least = schema.minContains ?? 1;
    const sure = found.filter(validity => validity === "valid").length;
    const possible = found.filter(validity => validity !== "invalid").length;
    const ofSure = within(least, schema.maxContains, () => sure);
    return ofSure === within(least, schema.maxContains, () => possible) ? ofSure : "unknown";
  }

  #checkReference(schema: JsonObject, value: unknown, depth: number): Validity {
    const { $ref } = schema;
    if ($ref === undefined) return "valid";
    if (typeof $ref !== "string" || !/^#(\/|$)/.test($ref)) return "unknown";
    let target: unknown = this.root;
    const steps = $ref.split("/").slice(1);
    if (!this.#afford(steps.length)) return "unknown";
    for (const step of steps) {
      const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
      if (Array.isArray(target)) target = target[Number(key)];
      else if (isJsonObject(target) && Object.hasOwn(target, key)) target = target[key];
      else return "unknown";
    }
    return this.check(target, value, depth + 1);
  }

  #checkCombined(schema: JsonObject, value: unknown, depth: number): Validity {
    const each = (schemas: unknown): Validity[] =>
      Array.isArray(schemas) ? schemas.map(part => this.check(part, value, depth + 1)) : ["unknown"];
    return every([
      () => ("allOf" in schema ? all(each(schema.allOf)) : "valid"),
      () => ("anyOf" in schema ? any(each(schema.anyOf)) : "valid"),
      () => ("oneOf" in schema ? one(each(schema.oneOf)) : "valid"),
      () => ("not" in schema ? opposite(this.check(schema.not, value, depth + 1)) : "valid"),
      () => ("if" in schema ? this.#checkCondition(schema, value, depth) : "valid"),
    ]);
  }

  #checkCondition(schema: JsonObject, value: unknown, depth: number): Validity {
    const branch = (of: "then" | "else") =>
      of in schema ? this.check(schema[of], value, depth + 1) : "valid";
    switch (this.check(schema.if, value, depth + 1)) {
      case "valid":
        return branch("then");
      case "invalid":
        return branch("else");
      case "unknown": {
        const then = branch("then");
        return then === branch("else") ? then : "unknown";
      }
    }
  }
}

const typeTests: Readonly<Record<string, (value: unknown) => boolean>> = {
  null: value => value === null,
  boolean: value => typeof value === "boolean",
  number: value => typeof value === "number",
  integer: value => Number.isInteger(value),
  string: value => typeof value === "string",
  array: Array.isArray,
  object: isJsonObject,
};

function checkType({ type, nullable }: JsonObject, value: unknown): Validity {
  if (type === undefined) return "valid";
  // OpenAPI's keyword, used in Google's schemas.
  if (nullable === true && value === null) return "valid";
  return any(
    (Array.isArray(type) ? type : [type]).map(name => {
      const test = typeof name === "string" && Object.hasOwn(typeTests, name) ? typeTests[name] : undefined;
      return test === undefined ? "unknown" : validIf(test(value));
    }),
  );
}

function checkNumber(schema: JsonObject, value: number): Validity {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  return every([
    () => within(minimum, maximum, () => value),
    () => compared(exclusiveMinimum, bound => value > bound),
    () => compared(exclusiveMaximum, bound => value < bound),
    () => compared(multipleOf, step => Math.abs(value / step - Math.round(value / step)) <= 1e-9),
  ]);
}

function within(least: unknown, most: unknown, size: () => number): Validity {
  if (least === undefined && most === undefined) return "valid";
  const actual = size();
  return every([
    () => compared(least, bound => actual >= bound),
    () => compared(most, bound => actual <= bound),
  ]);
}

function compared(bound: unknown, holds: (bound: number) => boolean): Validity {
  if (bound === undefined) return "valid";
  return typeof bound === "number" ? validIf(holds(bound)) : "unknown";
}

function isComposite(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function validIf(holds: boolean): Validity {
  return holds ? "valid" : "invalid";
}

/** In order, up to the first that is invalid. */
function every(checks: readonly (() => Validity)[]): Validity {
  return everyItem(checks, check => check());
}

function everyItem<Item>(items: readonly Item[], check: (item: Item) => Validity): Validity {
  let result: Validity = "valid";
  for (const item of items) {
    const validity = check(item);
    if (validity === "invalid") return "invalid";
    if (validity === "unknown") result = "unknown";
  }
  return result;
}

function all(results: readonly Validity[]): Validity {
  return everyItem(results, result => result);
}

function any(results: readonly Validity[]): Validity {
  return opposite(all(results.map(opposite)));
}

function one(results: readonly Validity[]): Validity {
  const valid = results.filter(result => result === "valid").length;
  if (valid > 1) return "invalid";
  if (results.includes("unknown")) return "unknown";
  return validIf(valid === 1);
}

function opposite(validity: Validity): Validity {
  switch (validity) {
    case "valid":
      return "invalid";
    case "invalid":
      return "valid";
    case "unknown":
      return "unknown";
  }
}

import type { AnyOperation } from "./operation.ts";

export interface InputParts {
  readonly params: Record<string, unknown>;
  readonly query: Record<string, unknown>;
  readonly body: Record<string, unknown>;
}

/**
 * Puts each value of a flat input where its operation wants it. What no shape knows goes where it will be refused
 * by name.
 */
export function splitInput(operation: AnyOperation, input: Readonly<Record<string, unknown>>): InputParts {
  const parts: InputParts = { params: {}, query: {}, body: {} };
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined) continue;
    if (hasField(operation.params, name)) parts.params[name] = value;
    else if (hasField(operation.query, name)) parts.query[name] = value;
    else if (operation.body) parts.body[name] = value;
    else parts.query[name] = value;
  }
  return parts;
}

function hasField(shape: AnyOperation["params"], name: string): boolean {
  return shape !== undefined && Object.hasOwn(shape.shape, name);
}

import type { AnyOperation } from "@tollgate/core/contract/operation";
import { splitInput } from "@tollgate/core/contract/split-input";

/** An operation's request as path and init, including invalid ones that the typed client would not send. */
export function toRequest(
  operation: AnyOperation,
  input: Readonly<Record<string, unknown>>,
): { path: string; method: string; body?: string } {
  const { params, query, body } = splitInput(operation, input);
  const path = operation.path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  );
  const search = new URLSearchParams(
    Object.fromEntries(
      Object.entries(query).map(([name, value]) => [
        name,
        typeof value === "string" ? value : JSON.stringify(value),
      ]),
    ),
  ).toString();
  return {
    path: search === "" ? path : `${path}?${search}`,
    method: operation.method,
    ...(operation.body ? { body: JSON.stringify(body) } : {}),
  };
}

import type { AnyOperation } from "@tollgate/core/contract/operation";

/** `/api/budgets/status` before `/api/budgets/:id`: the router takes the first match. */
export function bySpecificity(a: AnyOperation, b: AnyOperation): number {
  const [left, right] = [rank(a.path), rank(b.path)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function rank(path: string): string {
  return path
    .split("/")
    .map(segment => (segment.startsWith(":") ? "1" : "0"))
    .join("");
}

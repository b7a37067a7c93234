import { describe, expect, it } from "bun:test";
import { errorKinds, fail } from "./errors.ts";

/** The rows of the table in docs/errors.md. */
async function documented(): Promise<string[][]> {
  const text = await Bun.file(`${import.meta.dir}/../../../docs/errors.md`).text();
  return text
    .split("\n")
    .filter(line => line.startsWith("| `"))
    .map(line =>
      line
        .split("|")
        .slice(1, -1)
        .map(cell => cell.trim()),
    );
}

describe("the catalogue of errors", () => {
  it("matches docs/errors.md, line by line", async () => {
    const catalogue = Object.entries(errorKinds).map(([code, { status, when, retry }]) => [
      `\`${code}\``,
      String(status),
      when,
      retry ? "not sent" : "`false`",
    ]);
    expect(await documented()).toEqual(catalogue);
  });

  it("GW-032 marks 401, 402, 403 and the budget's 429 as not retryable, and the rate limit as retryable", () => {
    for (const [code, { status, retry }] of Object.entries(errorKinds)) {
      expect([code, retry]).toEqual([code, ![401, 402, 403].includes(status) && code !== "budget_exceeded"]);
    }
  });

  it("uses only statuses of the spec's table, 408 for a request that never ends, 499 for a client that left, and 503 while stopping", () => {
    const known = [400, 401, 402, 403, 404, 408, 413, 429, 499, 500, 502, 503, 504];
    expect(Object.values(errorKinds).filter(({ status }) => !known.includes(status))).toEqual([]);
  });

  it("contains the sentence and the listed fields, and never the cause", () => {
    const error = fail("rate_limited", "too many", { limit: 10 }, { "retry-after": "3" });
    expect(error.body).toEqual({ error: "too many", limit: 10 });
    expect([error.status, error.headers]).toEqual([429, { "retry-after": "3" }]);
  });
});

import { describe, expect, it } from "bun:test";
import { z } from "zod";
import type { AnyOperation } from "./operation.ts";
import { operations } from "./operations.ts";

const all = Object.entries<AnyOperation>(operations);

/** The rows of the table of docs/api.md: operation, request, key, member, tier. */
async function documented(): Promise<string[][]> {
  const text = await Bun.file(`${import.meta.dir}/../../../../docs/api.md`).text();
  return text
    .split("\n")
    .filter(line => /^\| `[\w.]+` +\| `(GET|POST|PUT|PATCH|DELETE) /.test(line))
    .map(line =>
      line
        .split("|")
        .slice(1, -1)
        .map(cell => cell.trim()),
    );
}

const isSumOfCosts = (name: string) => /^(total_)?(cost_)?microcents$|_spending_microcents$/.test(name);

/** The names in every object of a schema, however deep. */
function objectsOf(schema: unknown): string[][] {
  if (typeof schema !== "object" || schema === null) return [];
  const properties = "properties" in schema ? [Object.keys(schema.properties ?? {})] : [];
  return [...properties, ...Object.values(schema).flatMap(objectsOf)];
}

describe("the contract", () => {
  it("is what docs/api.md says, operation by operation", async () => {
    const declared = all.map(([id, { method, path, scope, role, isForPeople, minTier, summary }]) => [
      `\`${id}\``,
      `\`${method} ${path}\``,
      isForPeople ? "refused" : (scope ?? "none"),
      scope === null ? "anybody" : role,
      minTier ?? "",
      summary,
    ]);
    expect(await documented()).toEqual(declared);
  });

  it.each(all)("%s: its name, its path and its parts agree", (id, operation) => {
    expect(operation.id).toBe(id);
    const names = [operation.params, operation.query, operation.body].map(part =>
      Object.keys(part?.shape ?? {}),
    );
    expect(names[0] ?? []).toEqual([...operation.path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? ""));
    // A handler gets one flat record: a name in two places would hide one of them.
    const flat = names.flat();
    expect(flat).toEqual([...new Set(flat)]);
    expect(names[1] ?? []).not.toContain("mode");
    expect(operation.method === "GET" && operation.body !== undefined).toBe(false);
    expect(operation.method !== "GET" && operation.scope === "read").toBe(false);
    expect((operation.status === 204) === (operation.output === undefined && !operation.produces)).toBe(true);
  });

  it("MON-021 every sum of costs says how many calls it leaves out", () => {
    const silent: string[] = [];
    for (const [id, { output }] of all) {
      if (output === undefined) continue;
      for (const properties of objectsOf(z.toJSONSchema(output, { unrepresentable: "any" }))) {
        // An event is not a sum, and states itself whether its cost is known.
        if (
          properties.some(isSumOfCosts) &&
          !properties.some(name => /^(unpriced_calls|is_unpriced)$/.test(name))
        ) {
          silent.push(`${id}: ${properties.join(", ")}`);
        }
      }
    }
    expect(silent).toEqual([]);
  });

  it("WEB-022 every list is paged, or cannot become long", () => {
    const bounds = {
      "account.sessions.list": "answers at most 100",
      "alerts.thresholds.list": "an organization has at most 100",
      "budgets.list": "the tier limits how many there are",
      "prices.overrides.list": "an organization has at most 500",
      "suggestions.list": "answers at most 200",
      "verify.policies.list": "an organization has at most 100",
      "webhooks.list": "an organization has at most 50",
    };
    const unpaged = all
      .filter(([id, { query }]) => id.endsWith(".list") && query?.shape.limit === undefined)
      .map(([id]) => id);
    expect(unpaged.toSorted()).toEqual(Object.keys(bounds));
  });

  it("no two operations share a request", () => {
    const requests = all.map(([, { method, path }]) => `${method} ${path.replace(/:\w+/g, ":")}`);
    expect(requests).toEqual([...new Set(requests)]);
  });
});

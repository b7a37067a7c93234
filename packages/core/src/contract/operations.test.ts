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

/** As the contract names sums of costs: `cost_cents`, `total_spending_microcents`, `spend`, `net_value_cents`… */
const sumOfCosts =
  /^(total_)?microcents$|(^|_)(cost|spend|spending|spent)_(micro)?cents$|(^|_)(spend|spent)$|^net_value_cents$/;

/** The properties of every object of a schema, however deep. */
function objectsOf(schema: unknown): Record<string, unknown>[] {
  if (typeof schema !== "object" || schema === null) return [];
  const own = "properties" in schema ? [{ ...Object(schema.properties) }] : [];
  return [...own, ...Object.values(schema).flatMap(objectsOf)];
}

/** Whether a count of the calls that the sum leaves out is beside it, or in it. An event says `is_unpriced`. */
function saysWhatItLeavesOut(name: string, properties: Record<string, unknown>): boolean {
  const counts = ["unpriced_calls", "is_unpriced", name.replace(sumOfCosts, "$2unpriced_calls")];
  const inside = objectsOf(properties[name])[0] ?? {};
  return counts.some(count => count in properties) || "unpriced_calls" in inside;
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
    const others = {
      "agents.roi: net_value_cents": "the value less `costs`, which counts them",
      "dashboard.get: net_value_cents": "the value less `cost`, which counts them",
      "*: max_spend_microcents": "a limit",
      "*: measured_spend": "its `provenance` has `left_out_calls`",
    };
    const silent = new Set<string>();
    for (const [id, { output }] of all) {
      if (output === undefined) continue;
      for (const properties of objectsOf(z.toJSONSchema(output, { unrepresentable: "any" }))) {
        for (const name of Object.keys(properties)) {
          if (!sumOfCosts.test(name) || saysWhatItLeavesOut(name, properties)) continue;
          silent.add(`*: ${name}` in others ? `*: ${name}` : `${id}: ${name}`);
        }
      }
    }
    // Each entry is still needed, and there is no other.
    expect([...silent].toSorted()).toEqual(Object.keys(others).toSorted());
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

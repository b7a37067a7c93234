import { expect, it } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";

const packages = join(import.meta.dir, "../../../..");
const writes = /(insertInto|updateTable|deleteFrom)\("(budgets|optimizations|experiments|agent_settings)"\)/;
const records = /\b(recordActuation|putInForce|undoOptimization)\(/;

/** Writers of what no call depends on, or whose callers record it. */
const others: Readonly<Record<string, string>> = {
  "control/src/features/agents/settings.ts": "names and metadata; pausing is recorded by pause.ts",
  "control/src/features/alert-preferences/handlers.ts":
    "the default warning threshold of budgets, on which only alerts depend",
};

it("LOOP-033 every file that changes what the gateway obeys records actuations", async () => {
  const silent: string[] = [];
  for await (const file of new Glob("*/src/**/*.ts").scan(packages)) {
    if (file.endsWith(".test.ts")) continue;
    const text = await Bun.file(join(packages, file)).text();
    if (writes.test(text) && !records.test(text)) silent.push(file);
  }
  expect(silent.toSorted()).toEqual(Object.keys(others).toSorted());
});

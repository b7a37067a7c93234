import { expect, it } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { operations } from "@tollgate/core/contract/operations";

/** The table of docs/dashboard.md: operation and reason. */
function documented(): string[][] {
  const text = readFileSync(join(import.meta.dir, "../../../docs/dashboard.md"), "utf8");
  const section = text.split(/^## /m).find(part => part.startsWith("Operations that no page uses")) ?? "";
  return [...section.matchAll(/^\| `([\w.]+)` +\| (.*) \|$/gm)].map(([, id = "", why = ""]) => [id, why]);
}

it("DASH-004 every operation is used by a page, or docs/dashboard.md says why not", () => {
  const files = [...new Bun.Glob("**/*.{ts,tsx}").scanSync(import.meta.dir)].filter(
    name => !name.endsWith(".test.ts"),
  );
  const source = files.map(name => readFileSync(join(import.meta.dir, name), "utf8")).join("\n");
  // A query that is only refreshed after a change is not a use.
  const lists = /refreshes\w*\s*[:=]\s*\[[^\]]*\]/g;
  const calls = source.replaceAll(lists, "");
  const unused = Object.keys(operations).filter(id => !calls.includes(`"${id}"`));
  expect(documented().map(([id]) => id)).toEqual(unused.toSorted());
  for (const [id, why = ""] of documented()) expect([id, why.length > 10]).toEqual([id, true]);
});

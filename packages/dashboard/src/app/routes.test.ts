import { expect, it } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";

/** Read as text: the modules of the routes need a browser. */
const sources = [...new Glob("pages/*/route.ts").scanSync(join(import.meta.dir, ".."))].map(path =>
  readFileSync(join(import.meta.dir, "..", path), "utf8"),
);

it("every page of the navigation has a key of its own after g", () => {
  const pages = sources.filter(source => source.includes("icon: "));
  const keys = pages.map(source => /\bkey: "(.)"/.exec(source)?.[1]);
  expect(pages.length).toBeGreaterThan(10);
  expect(keys).not.toContain(undefined);
  expect(keys.toSorted()).toEqual([...new Set(keys)].toSorted());
});

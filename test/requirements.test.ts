import { describe, expect, it } from "bun:test";
import { Glob } from "bun";
import { claims, idsOf, requirements } from "./requirements.ts";

const root = `${import.meta.dir}/..`;
const idPattern = /\b(?!SHA-)[A-Z]{2,5}-\d{3}\b/g;

/** Ids in the titles of tests, by file. A mention in a comment proves nothing. */
async function citations(): Promise<Map<string, string[]>> {
  const cited = new Map<string, string[]>();
  for await (const file of new Glob("{packages,test}/**/*.test.ts").scan({ cwd: root })) {
    if (file.includes("node_modules")) continue;
    const text = await Bun.file(`${root}/${file}`).text();
    for (const [, title = ""] of text.matchAll(
      /\b(?:it|test|describe)(?:\.(?:each|skipIf)\([\s\S]*?\))?\(\s*["'`]([^"'`]*)/g,
    )) {
      for (const [id] of title.matchAll(idPattern)) cited.set(id, [...(cited.get(id) ?? []), file]);
    }
  }
  return cited;
}

const known = new Set(requirements.map(({ id }) => id));

describe("the requirement ledger", async () => {
  const cited = await citations();

  it("has one sentence for each id", () => {
    expect(known.size).toBe(requirements.length);
  });

  it("names only requirements that exist", () => {
    expect([...cited.keys()].filter(id => !known.has(id))).toEqual([]);
  });

  for (const { area, awaiting } of claims) {
    it(`claims ${area}: every id is cited by a test, or its absence is explained`, () => {
      const open = idsOf(area).filter(id => !cited.has(id) && !(id in awaiting));
      expect(open).toEqual([]);
    });

    it(`lists nothing in ${area} as pending that a test already proves`, () => {
      expect(Object.keys(awaiting).filter(id => cited.has(id))).toEqual([]);
    });
  }
});

import { describe, expect, it } from "bun:test";
import { sql } from "kysely";
import { controlDatabases, engines } from "../../../../test/support/labs/control-databases.ts";
import { listOfTexts } from "./list-of.ts";

const databases = controlDatabases();

describe.each(engines)("a list of texts on %s", engine => {
  it("finds its members, and omits texts that no engine can store", async () => {
    const { db } = await databases.open(engine);
    const list = listOfTexts(engine, ["a", 'quo"te', "lone \ud800", "nul \0", "{b}"]);
    for (const [text, isFound] of [
      ["a", true],
      ['quo"te', true],
      ["{b}", true],
      ["c", false],
      ["lone \ufffd", false],
    ] as const) {
      const found = await sql<{ n: number }>`SELECT 1 AS n WHERE CAST(${text} AS TEXT) IN ${list}`.execute(
        db,
      );
      expect([text, found.rows.length === 1]).toEqual([text, isFound]);
    }
  });
});

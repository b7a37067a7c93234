import { describe, expect, it } from "bun:test";
import { writeFileSync } from "node:fs";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { temporaryFolder } from "../../../test/support/labs/temporary-folder.ts";
import { hasEvents } from "./refuse-lost-data.ts";

const folder = temporaryFolder();

describe("whether a ledger has events", () => {
  it("is false for a missing ledger and for an empty one", () => {
    const path = folder("empty.db");
    expect(hasEvents(path)).toBe(false);
    new Ledger(path, "normal").close();
    expect(hasEvents(path)).toBe(false);
  });

  it("is true for a damaged ledger, so that starting with it is not treated as a first run", () => {
    const path = folder("damaged.db");
    writeFileSync(path, "not a database, ".repeat(500));
    expect(hasEvents(path)).toBe(true);
  });
});

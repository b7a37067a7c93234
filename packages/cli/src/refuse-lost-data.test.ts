import { describe, expect, it } from "bun:test";
import { writeFileSync } from "node:fs";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { temporaryFolder } from "../../../test/support/labs/temporary-folder.ts";
import { hasEvents } from "./refuse-lost-data.ts";

const folder = temporaryFolder();

describe("whether a ledger has events", () => {
  it("says no of a ledger that is missing, and of one that nothing was written to", () => {
    const path = folder("empty.db");
    expect(hasEvents(path)).toBe(false);
    new Ledger(path, "normal").close();
    expect(hasEvents(path)).toBe(false);
  });

  it("says yes of a damaged ledger, so that a start beside it is not taken for a first run", () => {
    const path = folder("damaged.db");
    writeFileSync(path, "not a database, ".repeat(500));
    expect(hasEvents(path)).toBe(true);
  });
});

import { describe, expect, it } from "bun:test";
import { readPosition } from "@tollgate/storage/following/stored-position";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { engines } from "../../../../../test/support/labs/control-databases.ts";
import { readModelLab } from "../../../../../test/support/labs/read-model-lab.ts";
import { temporaryFolder } from "../../../../../test/support/labs/temporary-folder.ts";
import { SAMPLE_DAY, sampleSettlement } from "../../../../../test/support/rows/sample-event.ts";
import { AlertWatch } from "./watch-alerts.ts";

const open = readModelLab();
const inFolder = temporaryFolder();

describe.each(engines)("the position of alerts, on %s", engine => {
  it("REL-014 is not stored once the ledger has lost it: that would be a second loss to repair", async () => {
    const { database, ledger, reader, follower, model } = await open(engine);
    const control = {
      db: database.db,
      engine: database.engine,
      readModel: model,
      now: () => SAMPLE_DAY,
      newId: () => Bun.randomUUIDv7(),
      wakeSender: () => {},
    };
    const parts = { control, database, readModel: follower, log: () => {} };
    const path = inFolder(`restored-${engine}.db`);
    new Ledger(path, "normal").close();
    const restored = new LedgerReader(path);
    // Reads the ledger until it is replaced by an older copy of it.
    let current: LedgerReader = reader;
    const replaced = new Proxy(reader, {
      get(_, name) {
        const value = Reflect.get(current, name);
        return typeof value === "function" ? value.bind(current) : value;
      },
    });
    const watch = await AlertWatch.open({ ...parts, ledger: replaced });
    const stored = () => readPosition(database.db, "alerts:events");

    await ledger.append([sampleSettlement("a"), sampleSettlement("b")]);
    await follower.catchUp();
    await watch.catchUp();
    await watch.tick();
    expect(await stored()).toEqual({ seq: 2, eventId: "b" });

    await ledger.append([sampleSettlement("c")]);
    await follower.catchUp();
    await watch.catchUp();
    current = restored;
    await watch.tick();
    expect(await stored()).toEqual({ seq: 2, eventId: "b" });
    restored.close();
  });
});

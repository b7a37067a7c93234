import { Database } from "bun:sqlite";
import { beforeEach, describe, expect, it } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ControlStore } from "@tollgate/storage/config/control-store";
import { beginPosition } from "@tollgate/storage/following/stored-position";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { EVENTS_CURSOR } from "@tollgate/storage/read-model/deriving/read-model-repair";
import { temporaryFolder } from "../../../../test/support/labs/temporary-folder.ts";
import { sampleSettlement } from "../../../../test/support/rows/sample-event.ts";
import { type Config, readConfig } from "../config/config.ts";
import { writePostgresMark } from "./control-database.ts";
import { hasEvents, refuseLostData, refuseLostLedger } from "./refuse-lost-data.ts";

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

describe("a data directory from whose ledger events were read", () => {
  let config: Config;
  let ledger: string;
  let installations = 0;

  beforeEach(async () => {
    const dataDir = folder(`installation-${++installations}`);
    mkdirSync(dataDir);
    config = readConfig({ SVC_DATA_DIR: dataDir });
    ledger = join(dataDir, "ledger.db");
    const store = await ControlStore.open({ kind: "sqlite", path: join(dataDir, "control.db") });
    await store.createOrganization("org", "pro", Date.now());
    await beginPosition(store.database.db, EVENTS_CURSOR, { seq: 3, eventId: null });
    await store.close();
  });

  it("is refused with a ledger.db of no bytes, which nobody created on purpose", async () => {
    writeFileSync(ledger, "");
    await expect(refuseLostData(config)).rejects.toThrow(`${ledger} is not a ledger`);
  });

  it("is refused with another database in place of the ledger", async () => {
    const other = new Database(ledger);
    other.run("CREATE TABLE notes (text TEXT)");
    other.close();
    await expect(refuseLostData(config)).rejects.toThrow(`${ledger} is not a ledger`);
  });

  it("is refused without a ledger.db, and accepted with an empty ledger", async () => {
    await expect(refuseLostData(config)).rejects.toThrow("there is no ledger.db");
    new Ledger(ledger, "normal").close();
    await refuseLostData(config);
  });

  it("is refused by a gateway that starts without a ledger.db, and accepted with an empty ledger", async () => {
    await expect(refuseLostLedger(config)).rejects.toThrow("there is no ledger.db");
    new Ledger(ledger, "normal").close();
    await refuseLostLedger(config);
  });

  it("is not refused for a ledger.db of no bytes while nothing was read: a first start was interrupted", async () => {
    rmSync(join(config.dataDir, "control.db"));
    writeFileSync(ledger, "");
    await refuseLostData(config);
    await (await ControlStore.open({ kind: "sqlite", path: join(config.dataDir, "control.db") })).close();
    await refuseLostData(config);
  });
});

it("a data directory whose data was moved to PostgreSQL is not taken for one that has lost it", async () => {
  const dataDir = folder("moved");
  mkdirSync(dataDir);
  const config = readConfig({ SVC_DATA_DIR: dataDir });
  const ledger = new Ledger(join(dataDir, "ledger.db"), "normal");
  await ledger.append([sampleSettlement("first")]);
  ledger.close();
  await expect(refuseLostData(config)).rejects.toThrow("this is not a first run");
  writePostgresMark(config);
  await expect(refuseLostData(config)).rejects.toThrow("set SVC_DATABASE_URL");
});

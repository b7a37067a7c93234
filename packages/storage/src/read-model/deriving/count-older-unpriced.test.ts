import { describe, expect, it } from "bun:test";
import { ZERO_MICROCENTS } from "@tollgate/core/money/money";
import { controlDatabases, engines } from "../../../../../test/support/labs/control-databases.ts";
import { adjust } from "../../../../../test/support/labs/read-model-lab.ts";
import { temporaryFolder } from "../../../../../test/support/labs/temporary-folder.ts";
import { makeOlder } from "../../../../../test/support/older-control/make-older.ts";
import { SAMPLE_DAY, sampleSettlement } from "../../../../../test/support/rows/sample-event.ts";
import {
  type ControlDatabase,
  type ControlDatabaseOptions,
  openControlDatabase,
} from "../../database/open-control-database.ts";
import { readPosition } from "../../following/stored-position.ts";
import { Ledger } from "../../ledger/ledger.ts";
import { LedgerReader } from "../../ledger/ledger-reader.ts";
import { createReadModel } from "../control-read-model.ts";
import { olderFactsCursor } from "./complete-older-facts.ts";
import { unpricedCursor } from "./count-older-unpriced.ts";
import { followReadModel } from "./follow-read-model.ts";
import { EVENTS_CURSOR } from "./read-model-repair.ts";
import { verifyReadModel } from "./verify-read-model.ts";

const databases = controlDatabases();
const inFolder = temporaryFolder();
const scope = { orgId: "org", mode: "live" } as const;
const always = { from: 0, to: SAMPLE_DAY * 2 };

/** The last version before the count of unpriced calls. */
const OLDER_VERSION = 12;

const derivedTables = [
  "scopes",
  "models",
  "agents",
  "sessions",
  "customers",
  "config_versions",
  "rollup_hours",
  "rollup_days",
  "customer_days",
  "facts",
  "adjustments",
  "cursors",
] as const;

/** Copies the data into a database of the older version, without what only the newer version records. */
async function copyToOlder(place: ControlDatabaseOptions, newer: ControlDatabase): Promise<void> {
  const older = await makeOlder(place, OLDER_VERSION);
  const tables = await older.introspection.getTables();
  for (const table of derivedTables) {
    const columns = tables.find(({ name }) => name === table)?.columns.map(({ name }) => name) ?? [];
    for (const row of await newer.db.selectFrom(table).selectAll().execute()) {
      // The database numbers adjustments itself, so the next one gets the next number.
      const renamed = "reader" in row ? { ...row, name: row.reader } : row;
      if ("customer" in row && "day" in row && row.customer === 0) continue;
      const known = Object.entries(renamed).filter(
        ([column]) => columns.includes(column) && !(table === "adjustments" && column === "id"),
      );
      await older
        .insertInto(table)
        .values(Object.fromEntries(known) as never)
        .execute();
    }
  }
  await older.destroy();
}

function settlement(index: number) {
  const isUnpriced = index % 3 === 0;
  return sampleSettlement(`event ${index}`, {
    created_at: SAMPLE_DAY + index * 600_000,
    session_id: `session ${index % 4}`,
    customer_id: `customer ${index % 2}`,
    ...(isUnpriced ? { cost_basis: "unpriced", cost_microcents: ZERO_MICROCENTS, price_version: null } : {}),
  });
}

describe.each(engines)("an installation on %s from before unpriced calls were counted", engine => {
  it("MON-021 counts its existing calls and reratings, before and after the upgrade, exactly once", async () => {
    const path = inFolder(`ledger-${engine}.db`);
    const ledger = new Ledger(path, "normal");
    const reader = new LedgerReader(path);
    const newer = await databases.open(engine);
    // 0, 3, … 27: ten unpriced calls.
    await ledger.append(Array.from({ length: 30 }, (_, index) => settlement(index)));
    await adjust(newer, settlement(3).event, 500);
    await followReadModel(newer, reader).catchUp();
    const place = await databases.placeUnmigrated(engine);
    await copyToOlder(place, newer);

    const database = await openControlDatabase(place);
    expect(await unpricedCursor(database.db)).toBe(0);
    // The older version stored neither node nor event id.
    expect(await readPosition(database.db, EVENTS_CURSOR)).toEqual({ seq: 30, eventId: null });
    // Not counted yet, which verification takes into account.
    expect(await olderFactsCursor(database.db)).toBe(0);
    expect(await verifyReadModel(database, reader)).toEqual([]);
    await ledger.append([settlement(30), settlement(31)]);
    await adjust(database, settlement(6).event, 500);
    await adjust(database, settlement(6).event, 1);
    await followReadModel(database, reader).catchUp();

    const { totals } = await createReadModel(database, reader).usage(scope, always);
    // 0, 3, … 30, without the rerated 3 and 6.
    expect(totals).toMatchObject({ calls: 32, unpriced_calls: 9 });
    expect(await unpricedCursor(database.db)).toBeNull();
    expect(await olderFactsCursor(database.db)).toBeNull();
    expect(await verifyReadModel(database, reader)).toEqual([]);
    expect(await followReadModel(database, reader).catchUp()).toBe(0);
    expect(await verifyReadModel(database, reader)).toEqual([]);
    await database.close();
    reader.close();
    ledger.close();
  });
});

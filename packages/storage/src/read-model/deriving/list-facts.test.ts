import { describe, expect, it } from "bun:test";
import { sql } from "kysely";
import { controlDatabases, engines } from "../../../../../test/support/labs/control-databases.ts";
import { filledLedgers } from "../../../../../test/support/labs/filled-ledgers.ts";
import type { ControlDatabase } from "../../database/open-control-database.ts";
import { readSeq } from "../../following/stored-position.ts";
import { LISTS_CURSOR } from "../fact-lists.ts";
import { followReadModel } from "./follow-read-model.ts";
import { listFacts } from "./list-facts.ts";
import { verifyReadModel } from "./verify-read-model.ts";

const databases = controlDatabases();
const filledLedger = filledLedgers();
const listing = { segmentEvents: 10, volumeSegments: 2 };

/** As the migration leaves it. */
async function withoutLists({ db }: ControlDatabase): Promise<void> {
  await sql`DELETE FROM fact_lists`.execute(db);
  await sql`DELETE FROM fact_volumes`.execute(db);
  await sql`DELETE FROM cursors WHERE reader = ${LISTS_CURSOR}`.execute(db);
}

describe.each(engines)("lists of facts in %s", engine => {
  it("WEB-008 are made of all older facts after an upgrade, although no call arrives", async () => {
    const database = await databases.open(engine);
    const { reader } = await filledLedger(57);
    await followReadModel(database, reader, { listing }).catchUp();
    await withoutLists(database);
    await followReadModel(database, reader, { listing }).catchUp();
    expect(await readSeq(database.db, LISTS_CURSOR)).toBe(50);
    expect(await verifyReadModel(database, reader)).toEqual([]);
  });

  it("begin where the read model is, if it has no facts of the events before", async () => {
    const { db } = await databases.open(engine);
    expect(await listFacts(db, engine, 1000, listing)).toEqual({ due: 1010, isMore: false });
  });
});

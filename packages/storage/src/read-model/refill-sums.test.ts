import { describe, expect, it } from "bun:test";
import { DAY_MS } from "@tollgate/core/time/durations";
import { engines } from "../../../../test/support/labs/control-databases.ts";
import { readModelLab } from "../../../../test/support/labs/read-model-lab.ts";
import { SAMPLE_DAY, sampleSettlement } from "../../../../test/support/sample-event.ts";
import { beginPosition } from "../following/stored-position.ts";
import { LEDGER_START } from "../ledger/ledger-position.ts";
import { followReadModel } from "./follow-read-model.ts";
import { isRefillDue } from "./refill-sums.ts";
import { verifyReadModel } from "./verify-read-model.ts";

const bench = readModelLab();

const call = (index: number) =>
  sampleSettlement(`event ${index}`, {
    created_at: SAMPLE_DAY + index * DAY_MS,
    customer_id: `customer ${index % 2}`,
    config_version: `v${index % 3}`,
  });

describe.each(engines)("sums that an older control plane did not write on %s", engine => {
  it("are summed again by the first newer one, once", async () => {
    const { database, ledger, reader, follower } = await bench(engine);
    await ledger.append(Array.from({ length: 20 }, (_, index) => call(index)));
    await follower.catchUp();
    const { db } = database;
    await db.deleteFrom("customer_weeks").where("customer", ">", 1).execute();
    await db
      .deleteFrom("agent_version_days")
      .where("day", ">", SAMPLE_DAY + 9 * DAY_MS)
      .execute();
    expect(await verifyReadModel(database, reader)).not.toEqual([]);
    // As migration 0041 leaves it.
    await beginPosition(db, "read-model:refill", LEDGER_START);

    const newer = followReadModel(database, reader);
    await ledger.append([call(20)]);
    await newer.catchUp();
    expect(await verifyReadModel(database, reader)).toEqual([]);
    expect(await isRefillDue(db)).toBe(false);
  });
});

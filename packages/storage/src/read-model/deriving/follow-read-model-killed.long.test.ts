import { describe, expect, it } from "bun:test";
import { join } from "node:path";
import { controlDatabases, engines } from "../../../../../test/support/labs/control-databases.ts";
import { filledLedgers } from "../../../../../test/support/labs/filled-ledgers.ts";
import { SAMPLE_DAY } from "../../../../../test/support/rows/sample-event.ts";
import { openControlDatabase } from "../../database/open-control-database.ts";
import { createReadModel } from "../control-read-model.ts";
import { followReadModel } from "./follow-read-model.ts";
import { verifyReadModel } from "./verify-read-model.ts";

const databases = controlDatabases();
const filledLedger = filledLedgers();
const scope = { orgId: "org", mode: "live" } as const;
const always = { from: 0, to: SAMPLE_DAY * 2 };
const child = join(import.meta.dir, "../../../../../test/support/programs/follow-read-model.ts");

describe.each(engines)("following the ledger into %s", engine => {
  it("REL-007 REL-005 repeats and skips nothing when it is killed repeatedly", async () => {
    const place = await databases.place(engine);
    const { path, reader } = await filledLedger(1500);
    const database = await openControlDatabase(place);
    const model = createReadModel(database, reader);
    let kills = 0;
    for (const remaining of [1200, 800, 300]) {
      const following = Bun.spawn([process.execPath, child, path, JSON.stringify(place)], {
        stderr: "inherit",
      });
      while (following.exitCode === null && (await model.lag()) > remaining) await Bun.sleep(1);
      following.kill("SIGKILL");
      await following.exited;
      if (following.signalCode === "SIGKILL") kills++;
    }
    expect(kills).toBeGreaterThan(0);
    await followReadModel(database, reader).catchUp();
    expect(await verifyReadModel(database, reader)).toEqual([]);
    expect((await model.usage(scope, always)).totals.calls).toBe(1500);
    await database.close();
  });
});

import { describe, expect, it } from "bun:test";
import { engines } from "../../../../../test/support/labs/control-databases.ts";
import { readModelLab } from "../../../../../test/support/labs/read-model-lab.ts";
import { SAMPLE_DAY, sampleSettlement } from "../../../../../test/support/rows/sample-event.ts";
import { freezeReport } from "./freeze-report.ts";

const open = readModelLab();

describe.each(engines)("a report on %s", engine => {
  it("LOOP-032 counts no call as a verification's that is derived while the report is made", async () => {
    const { database, ledger, follower, model } = await open(engine);
    const add = async (id: string) => {
      await ledger.append([sampleSettlement(id)]);
      await follower.catchUp();
    };
    await add("before");
    const agents = Promise.withResolvers<void>();
    const { spend_by_agent: lines } = await freezeReport(
      {
        db: database.db,
        scope: { orgId: "org", mode: "live" },
        organization: { id: "org", name: "acme", tier: "enterprise" },
        now: () => SAMPLE_DAY + 86_400_000,
        readModel: {
          ...model,
          async usageByAgent(...asked) {
            const found = await model.usageByAgent(...asked);
            await add("between");
            agents.resolve();
            return found;
          },
          async usage(...asked) {
            await agents.promise;
            return await model.usage(...asked);
          },
        },
      },
      { title: "November", days: 30 },
    );
    expect(lines.map(({ kind, calls }) => [kind, calls.value])).toEqual([["agent", 1]]);
  });
});

import { describe, expect, it } from "bun:test";
import { microcents } from "@tollgate/core/money/money";
import { systemEngines } from "../../support/full-size.ts";
import { alertLab, look } from "../../support/labs/alert-lab.ts";
import { budgetRow } from "../../support/rows/budget-row.ts";

const openLab = alertLab();

describe.each(systemEngines)("a budget that changes during its evaluation, on %s", engine => {
  async function judge(change: { status?: string; limit_microcents?: number }) {
    const lab = await openLab(engine);
    const budget = budgetRow(lab.orgId, { limit: 1000, enforcement: "alert_only" }, lab.clock.now());
    await lab.db.insertInto("budgets").values(budget).execute();
    const watch = await lab.newWatch({
      // Between reading the settings and reading the spend: the spend is from calls after the change.
      async budgetSpend() {
        await lab.db.updateTable("budgets").set(change).where("id", "=", budget.id).execute();
        return new Map([
          [budget.id, { settledMicrocents: microcents(1000), withheldMicrocents: microcents(0) }],
        ]);
      },
    });
    await look(watch);
    return await lab.alerts();
  }

  it("BUD-012 raises nothing if it was paused before the spend", async () => {
    expect(await judge({ status: "paused" })).toEqual([]);
  });

  it("ALERT-012 is evaluated with its new limit", async () => {
    expect(await judge({ limit_microcents: 5000 })).toEqual([]);
    expect((await judge({ limit_microcents: 999 })).map(alert => alert.metadata)).toMatchObject([
      { kind: "limit", limit_microcents: 999 },
    ]);
  });

  it("is raised when nothing was changed", async () => {
    expect(await judge({ limit_microcents: 1000 })).toMatchObject([{ metadata: { kind: "limit" } }]);
  });
});

import { expect, it } from "bun:test";
import { tierNames, tiers } from "@tollgate/core/limits/tiers";

it("the page of tiers lists what each tier includes", async () => {
  const page = await Bun.file(`${import.meta.dir}/plan.html`).text();
  const shown = (limit: number) => (Number.isFinite(limit) ? limit.toLocaleString("en-US") : "unlimited");
  const rows = tierNames.map(name => {
    const { agents, monthlyCalls, burstPerMinute, historyDays, budgets } = tiers[name];
    const cells = [agents, monthlyCalls, burstPerMinute, historyDays, budgets].map(
      limit => `<td class="number">${shown(limit)}</td>`,
    );
    return `<tr><td>${name}</td>${cells.join("")}</tr>`;
  });
  for (const row of rows) expect(page).toContain(row);
});

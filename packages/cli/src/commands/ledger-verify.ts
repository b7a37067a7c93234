import { existsSync } from "node:fs";
import { plusUnpriced } from "@tollgate/core/alerts/plus-unpriced";
import type { Budget } from "@tollgate/core/budgets/budget";
import { Directory } from "@tollgate/storage/config/directory";
import type { Config } from "../config/config.ts";
import { UsageError } from "../config/usage-error.ts";
import { dataFiles } from "../data-directory/data-files.ts";
import { readNodeId } from "../data-directory/load-or-create-node-id.ts";
import { withControlStore, withLedgerReader } from "../data-directory/open-store.ts";
import { verifyInstallation } from "../data-directory/verify-installation.ts";
import { showAmount } from "../output/show-amount.ts";
import type { Command } from "./command.ts";

/** From the gateway's copy of the configuration, because its sums are checked. */
function gatewayBudgets(config: Config): Budget[] {
  const { control } = dataFiles(config.dataDir);
  if (!existsSync(control)) {
    throw new UsageError(
      `${control} does not exist: start Tollgate once, which copies the configuration from PostgreSQL`,
    );
  }
  const directory = new Directory(control);
  try {
    return directory.allBudgets();
  } finally {
    directory.close();
  }
}

export const ledgerVerify: Command = {
  name: "ledger verify",
  usage: "",
  summary:
    "recomputes every cost and every derived sum, and compares the ledger with its copy in PostgreSQL; exits with 1 if one differs",
  options: {},
  async run({ config, note }) {
    return await withControlStore(config, store =>
      withLedgerReader(config, async ledger => {
        const value = await verifyInstallation({
          role: config.role,
          store,
          ledger,
          budgets: gatewayBudgets(config),
          nodeId: readNodeId(config),
          note,
        });
        const shared = value.shared_ledger;
        const text = [
          `${value.ok ? "ok" : "NOT OK"}: ${value.events} events, ${showAmount(value.total_microcents)} live${plusUnpriced(value.unpriced_calls)}, ${showAmount(value.test_total_microcents)} test${plusUnpriced(value.test_unpriced_calls)}`,
          ...(value.adjustments_microcents === 0
            ? []
            : [`of which ${showAmount(value.adjustments_microcents)} by rerating`]),
          ...(value.history_begins_at_ms === null
            ? []
            : [
                `${value.removed_events} events before ${new Date(value.history_begins_at_ms).toISOString()} were removed by retention; the sums include them`,
              ]),
          ...(value.open_intents === 0 ? [] : [`${value.open_intents} calls not settled yet`]),
          ...(shared === null
            ? []
            : [
                `${shared.events} events compared with PostgreSQL, ${showAmount(shared.cost_microcents)} live and test${plusUnpriced(shared.unpriced_calls)}${config.role === "all" || shared.pending_events === 0 ? "" : `; ${shared.pending_events} not ${config.role === "control" ? "copied" : "shipped"} yet`}`,
              ]),
          ...(value.not_compared.length === 0
            ? []
            : [
                `not compared yet: ${value.not_compared.join(", ")}; since an upgrade, a running Tollgate fills these sums in the background`,
              ]),
          ...value.differences,
        ].join("\n");
        return { value, text, exitCode: value.ok ? 0 : 1 };
      }),
    );
  },
};

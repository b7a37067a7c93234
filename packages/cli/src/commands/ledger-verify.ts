import { plusUnpriced } from "@tollgate/core/alerts/plus-unpriced";
import type { Budget } from "@tollgate/core/budgets/budget";
import { Directory } from "@tollgate/storage/config/directory";
import { verifyLedger } from "@tollgate/storage/ledger/verify-ledger";
import { verifyProfile } from "@tollgate/storage/profile/verify-profile";
import { verifyReadModel } from "@tollgate/storage/read-model/verify-read-model";
import type { Command } from "../command.ts";
import type { Config } from "../config.ts";
import { dataFiles } from "../data-files.ts";
import { withControlStore, withLedgerReader } from "../open-store.ts";
import { showAmount } from "../show-amount.ts";

/** From the gateway's copy of the configuration, because its sums are checked. */
function gatewayBudgets(config: Config): Budget[] {
  const directory = new Directory(dataFiles(config.dataDir).control);
  try {
    return directory.allBudgets();
  } finally {
    directory.close();
  }
}

export const ledgerVerify: Command = {
  name: "ledger verify",
  usage: "",
  summary: "recomputes every cost and every derived sum; exits with 1 if one differs",
  options: {},
  async run(input) {
    return await withControlStore(input.config, store =>
      withLedgerReader(input.config, async reader => {
        const budgets = gatewayBudgets(input.config);
        const onProgress = (events: number) => {
          if (events % 100_000 === 0) input.note(`${events} events…`);
        };
        const verification = verifyLedger(reader, onProgress, budgets);
        const differences = [
          ...verification.differences,
          ...(await verifyReadModel(store.database, reader)),
          ...(await verifyProfile(store.database)),
        ];
        // Test traffic is summed separately, because it costs no money.
        const sums = { live: 0, test: 0 };
        const adjustments = await store.adjustments();
        for (const [eventId, amount] of adjustments) sums[reader.modeOf(eventId) ?? "live"] += amount;
        const pricedSince = reader
          .summariesByIds([...adjustments.keys()])
          .filter(({ mode, cost_basis }) => mode === "live" && cost_basis === "unpriced").length;
        const value = {
          ...verification,
          ok: differences.length === 0,
          differences,
          unpriced_calls: verification.unpriced_calls - pricedSince,
          adjustments_microcents: sums.live,
          test_adjustments_microcents: sums.test,
          total_microcents: verification.cost_microcents + sums.live,
        };
        const text = [
          `${value.ok ? "ok" : "NOT OK"}: ${value.events} events, ${showAmount(value.total_microcents)} live${plusUnpriced(value.unpriced_calls)}, ${showAmount(value.test_cost_microcents + sums.test)} test`,
          ...(sums.live === 0 ? [] : [`of which ${showAmount(sums.live)} by rerating`]),
          ...(value.open_intents === 0 ? [] : [`${value.open_intents} calls not settled yet`]),
          ...value.differences,
        ].join("\n");
        return { value, text, exitCode: value.ok ? 0 : 1 };
      }),
    );
  },
};

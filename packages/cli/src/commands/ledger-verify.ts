import { existsSync } from "node:fs";
import { verifyLedger } from "@tollgate/storage/ledger/verify-ledger";
import type { Command } from "../command.ts";
import { dataFiles } from "../data-files.ts";
import { withControlStore, withLedgerReader } from "../open-store.ts";

export const ledgerVerify: Command = {
  name: "ledger verify",
  usage: "",
  summary: "recomputes every cost and every derived sum; exits with 1 if one differs",
  options: {},
  run(input) {
    const verification = withLedgerReader(input.config, reader =>
      verifyLedger(reader, events => {
        if (events % 100_000 === 0) input.note(`${events} events…`);
      }),
    );
    const adjusted = existsSync(dataFiles(input.config.dataDir).control)
      ? withControlStore(input.config, store => [...store.adjustments()])
      : [];
    // Test traffic is no money, rerated or not.
    const sums = { live: 0, test: 0 };
    withLedgerReader(input.config, reader => {
      for (const [eventId, amount] of adjusted) sums[reader.modeOf(eventId) ?? "live"] += amount;
    });
    const adjustments_microcents = sums.live;
    const value = {
      ...verification,
      adjustments_microcents,
      test_adjustments_microcents: sums.test,
      total_microcents: verification.cost_microcents + adjustments_microcents,
    };
    const text = [
      `${value.ok ? "ok" : "NOT OK"}: ${value.events} events, ${value.total_microcents} microcents`,
      ...(adjustments_microcents === 0 ? [] : [`of which ${adjustments_microcents} by rerating`]),
      ...(value.open_intents === 0 ? [] : [`${value.open_intents} calls not settled yet`]),
      ...value.differences,
    ].join("\n");
    return { value, text, exitCode: value.ok ? 0 : 1 };
  },
};

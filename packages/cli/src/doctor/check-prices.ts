import { existsSync } from "node:fs";
import { DAY_MS } from "@tollgate/core/time/durations";
import { openForReading } from "@tollgate/storage/engine/sqlite";
import { findUnpricedModels } from "@tollgate/storage/ledger/unpriced-models";
import type { Check } from "./finding.ts";

const RECENT_DAYS = 7;
const NEWEST_EVENTS = 500_000;
const MAX_NAMED = 20;

/** Calls without a price count as zero in sums and budgets. */
export const checkPrices: Check = {
  name: "prices",
  run({ files, nowMs: now }, say) {
    if (!existsSync(files.ledger)) return;
    const database = openForReading(files.ledger);
    try {
      const unpriced = findUnpricedModels(database, now - RECENT_DAYS * DAY_MS, NEWEST_EVENTS);
      for (const { provider, model, calls } of unpriced.slice(0, MAX_NAMED)) {
        say("warning", `${provider}/${model} has no price, but ${calls} calls in ${RECENT_DAYS} days`);
      }
      if (unpriced.length > MAX_NAMED) say("warning", `and ${unpriced.length - MAX_NAMED} other models`);
      if (unpriced.length === 0) say("ok", `every live call of the last ${RECENT_DAYS} days has a price`);
      else say("warning", "add their prices to SVC_PRICES_FILE, restart, then run `svc prices rerate`");
    } finally {
      database.close();
    }
  },
};

import type { LiveTotals } from "@tollgate/core/contract/live-message";
import { historyStart } from "@tollgate/core/limits/history-window";
import type { Tier } from "@tollgate/core/limits/tiers";
import { DaySums } from "@tollgate/core/live/day-sums";
import type { Scope } from "@tollgate/storage/ledger/scope";
import { isError } from "@tollgate/storage/ledger/status-codes";
import { isUnpriced } from "@tollgate/storage/read-model/is-unpriced";
import type { LiveSeeds } from "@tollgate/storage/read-model/reading/live-seeds";
import type { LiveState } from "./live-state.ts";

interface TotalsParts {
  readonly seeds: LiveSeeds;
  readonly scope: Scope;
  readonly now: () => number;
  readonly tier: () => Tier;
}

export function totalsState({ seeds, scope, now, tier }: TotalsParts): LiveState {
  const sums = new DaySums();
  let isDirty = false;
  let lastSent = "";
  const totals = (): LiveTotals => {
    const at = now();
    return sums.totals(at, historyStart(tier(), at));
  };
  return {
    pauseMs: 50,
    isUrgent: false,
    async seed(piece) {
      const { seq, rows } = await piece(() => seeds.days(scope, DaySums.firstDay(now())));
      for (const { day, ...more } of rows) sums.add(day, more);
      return seq;
    },
    add(event) {
      isDirty = true;
      sums.add(event.created_at, {
        calls: 1,
        errors: isError(event.status) ? 1 : 0,
        input_tokens: event.input_tokens,
        output_tokens: event.output_tokens,
        cost_microcents: event.cost_microcents,
        unpriced_calls: isUnpriced(event) ? 1 : 0,
      });
    },
    // The day may have ended.
    refresh() {
      isDirty = true;
    },
    changes() {
      if (!isDirty) return null;
      isDirty = false;
      const data = totals();
      const text = JSON.stringify(data);
      if (text === lastSent) return null;
      lastSent = text;
      return data;
    },
    snapshot: () => [totals()],
  };
}

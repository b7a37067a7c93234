import type { LiveTotals } from "@tollgate/core/contract/live-message";
import { useLiveTotals } from "../../data/live.tsx";
import { plural } from "../../format/counts.ts";
import { Card } from "../../parts/card.tsx";
import { CostSum } from "../../parts/money.tsx";
import { Stat } from "../../parts/stat.tsx";

type Sums = LiveTotals["today"];

/** What budgets count: whole UTC days. Over the live channel, as calls end. */
export function UtcFigures() {
  const totals = useLiveTotals();
  return (
    <Card title="Today and this month" note="UTC days, as budgets count them">
      <dl className="stats">
        <UtcStat label="Today (UTC)" name="today" sums={totals?.today} />
        <UtcStat label="This month (UTC)" name="month" sums={totals?.month} />
      </dl>
    </Card>
  );
}

function UtcStat({
  label,
  name,
  sums,
}: {
  readonly label: string;
  readonly name: string;
  readonly sums: Sums | undefined;
}) {
  return (
    <Stat
      label={label}
      name={name}
      value={sums && <CostSum microcents={sums.cost_microcents} unpricedCalls={sums.unpriced_calls} />}
      note={sums && <span data-stat={`${name}-calls`}>{plural(sums.calls, "call")}</span>}
    />
  );
}

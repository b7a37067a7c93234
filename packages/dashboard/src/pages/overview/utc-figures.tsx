import type { LiveTotals } from "@tollgate/core/contract/live-message";
import { useLiveTotals } from "../../data/live.tsx";
import { useOperation } from "../../data/use-operation.ts";
import { percent, plural } from "../../format/counts.ts";
import { NEAR_LIMIT_SHARE } from "../../format/near-limit.ts";
import { Card } from "../../parts/card.tsx";
import { Meter } from "../../parts/meter.tsx";
import { CostSum, Money } from "../../parts/money.tsx";
import { Stat } from "../../parts/stat.tsx";
import { subjectOf } from "../budgets/budget-subject.tsx";
import { usedShare } from "../budgets/budget-usage.tsx";
import { CountedSince } from "../budgets/counted-since.tsx";
import { projectMonth } from "./project-month.ts";

type Sums = LiveTotals["today"];

/** Totals as budgets count them: UTC days of the whole organization. Updated over the live channel, as calls end. */
export function UtcFigures() {
  const totals = useLiveTotals();
  const projected = totals && projectMonth(totals.month.cost_microcents, Date.now());
  return (
    <Card
      className="wide"
      title="Today and this month"
      note="The whole organization, in UTC days, as budgets count them"
    >
      <dl className="stats">
        <UtcStat label="Today (UTC)" name="today" sums={totals?.today} />
        <UtcStat label="This month (UTC)" name="month" sums={totals?.month} />
        <Stat
          label="Projected for the month"
          name="projected"
          value={
            totals === null ? undefined : (
              <CostSum microcents={projected} unpricedCalls={totals.month.unpriced_calls} />
            )
          }
          note="at this month’s pace"
        />
      </dl>
      <MonthlyBudget
        toCome={totals === null || projected === null ? null : projected - totals.month.cost_microcents}
      />
    </Card>
  );
}

interface UtcStatProps {
  readonly label: string;
  readonly name: string;
  readonly sums: Sums | undefined;
}

function UtcStat({ label, name, sums }: UtcStatProps) {
  return (
    <Stat
      label={label}
      name={name}
      value={sums && <CostSum microcents={sums.cost_microcents} unpricedCalls={sums.unpriced_calls} />}
      note={sums && <span data-stat={`${name}-calls`}>{plural(sums.calls, "call")}</span>}
    />
  );
}

/** The organization's monthly budget, if it has one, and what the rest of the month adds to it. */
function MonthlyBudget({ toCome }: { readonly toCome: number | null }) {
  const { data } = useOperation("budgets.list", {});
  const budget = data?.budgets.find(
    one => subjectOf(one).kind === "organization" && one.period === "monthly",
  );
  if (budget === undefined) return null;
  const { limit_microcents } = budget;
  const used = usedShare(budget);
  return (
    <div className="month-budget">
      <p className="muted">
        Monthly budget: {percent(used)} of <Money microcents={limit_microcents} isFull /> used{" "}
        <CountedSince budget={budget} />
      </p>
      <Meter
        label="Monthly budget"
        text={`${percent(used)} used`}
        share={used}
        expectedShare={toCome === null ? null : used + toCome / limit_microcents}
        kind={used >= 1 ? "bad" : used >= NEAR_LIMIT_SHARE ? "warning" : "plain"}
      />
    </div>
  );
}

import { plural } from "../format/counts.ts";
import { dollars, exactMicrocents, fullDollars } from "../format/money.ts";
import { UNKNOWN } from "../format/unknown.ts";
import { Tag } from "./tag.tsx";

interface MoneyProps {
  /** null or undefined: not known, which is not 0. */
  readonly microcents: number | null | undefined;
  /** Every digit, as for one call; otherwise cents, as for a sum. */
  readonly isFull?: boolean;
}

/** An amount; the exact microcents are shown on hover. */
export function Money({ microcents, isFull = false }: MoneyProps) {
  if (microcents == null) return <span className="figure">{UNKNOWN}</span>;
  return (
    <span className="figure" title={exactMicrocents(microcents)} data-microcents={microcents}>
      {isFull ? fullDollars(microcents) : dollars(microcents)}
    </span>
  );
}

interface CostSumProps {
  readonly microcents: number | null | undefined;
  /** Calls of unknown cost that the sum leaves out. */
  readonly unpricedCalls: number | null | undefined;
  readonly isFull?: boolean;
}

/** A sum of costs, with the number of calls that it leaves out. If it leaves out all, no sum is shown. */
export function CostSum({ microcents, unpricedCalls, isFull = false }: CostSumProps) {
  if (microcents == null || unpricedCalls == null || unpricedCalls === 0) {
    return <Money microcents={microcents} isFull={isFull} />;
  }
  const left = `${plural(unpricedCalls, "call")} of unknown cost, not in the sum`;
  return (
    <span className="cost-sum">
      {microcents !== 0 && <Money microcents={microcents} isFull={isFull} />}
      <Tag kind="warning" title={left}>
        {microcents !== 0 && "+ "}
        {unpricedCalls.toLocaleString("en-US")} unpriced
      </Tag>
    </span>
  );
}

interface CallCostProps {
  readonly event: {
    readonly cost_microcents: number;
    readonly adjustment_microcents: number;
    readonly is_unpriced: boolean;
  };
}

/** The cost of one call: what was booked with it, and what a rerating added. */
export function CallCost({ event }: CallCostProps) {
  if (event.is_unpriced) return <Tag kind="warning">unpriced</Tag>;
  return <Money microcents={event.cost_microcents + event.adjustment_microcents} isFull />;
}

import { Link, useParams } from "@tanstack/react-router";
import { useOperation } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";
import { changeSince, count, percent, plural, shareOf } from "../../format/counts.ts";
import { Card } from "../../parts/card.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Moment } from "../../parts/moment.tsx";
import { CostSum } from "../../parts/money.tsx";
import { Name } from "../../parts/name.tsx";
import { Change, Stat } from "../../parts/stat.tsx";
import { Loaded } from "../../parts/states.tsx";
import { callsSearch } from "../calls/calls-search.ts";
import { CustomerBreakdown } from "./customer-breakdown.tsx";
import { CustomerSessions } from "./customer-sessions.tsx";

export function CustomerPage() {
  const id = useParams({ from: "/customers/$customerId", select: ({ customerId }) => customerId });
  const { range, search } = useView();
  const customer = useOperation("customers.get", { id, from: range.from, to: range.to });
  return (
    <>
      <p className="back">
        <Link to="/customers">
          <Icon name="left" size={12} /> Customers
        </Link>
      </p>
      <div className="subject">
        <header className="subject-head">
          <div>
            <h2>
              <Name name={id} /> <CopyButton text={id} label="Copy the id" />
            </h2>
            <p className="muted">
              {customer.data && (
                <span>
                  Since <Moment at={customer.data.first_call_at} />:{" "}
                  {plural(customer.data.call_count, "call")},{" "}
                  <CostSum
                    microcents={customer.data.cost_microcents}
                    unpricedCalls={customer.data.unpriced_calls}
                  />
                  , last call <Moment at={customer.data.last_call_at} as="ago" />
                </span>
              )}
            </p>
          </div>
          <Link to="/calls" search={callsSearch({ customer: id })}>
            Its calls
          </Link>
        </header>
        <Loaded query={customer}>
          {() => (
            <>
              <RangeFigures customerId={id} />
              <CustomerBreakdown customerId={id} groupBy="model" title="Spend by model" />
              <CustomerBreakdown customerId={id} groupBy="agent" title="Spend by agent" />
              <CustomerSessions key={JSON.stringify(search)} customerId={id} />
            </>
          )}
        </Loaded>
      </div>
    </>
  );
}

function RangeFigures({ customerId }: { readonly customerId: string }) {
  const { range } = useView();
  const query = useOperation("analytics.breakdown", {
    group_by: "model",
    customer_id: customerId,
    from: range.from,
    to: range.to,
    ...(range.previous === null ? {} : { compare: "previous" }),
  });
  const compared = (before: number | null | undefined, now: number | null) =>
    range.previous === null ? undefined : <Change change={changeSince(before, now)} />;
  return (
    <Card title={range.title}>
      <Loaded query={query}>
        {({ total }) => (
          <dl className="stats">
            <Stat
              label="Spend"
              name="spend"
              isLarge
              value={<CostSum microcents={total.cost_microcents} unpricedCalls={total.unpriced_calls} />}
              note={compared(total.previous?.cost_microcents, total.cost_microcents)}
            />
            <Stat
              label="Calls"
              name="calls"
              value={count(total.call_count)}
              note={compared(total.previous?.call_count, total.call_count)}
            />
            <Stat
              label="Failed calls"
              name="errors"
              value={percent(
                total.call_count === null || total.error_count === null
                  ? null
                  : shareOf(total.error_count, total.call_count),
              )}
            />
            <Stat label="Input tokens" value={count(total.input_tokens)} />
            <Stat label="Output tokens" value={count(total.output_tokens)} />
          </dl>
        )}
      </Loaded>
    </Card>
  );
}

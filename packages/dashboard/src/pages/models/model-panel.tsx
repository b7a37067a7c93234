import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { breakdownFilters } from "../../data/breakdown-filters.ts";
import { type Output, useOperation } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";
import { count, plural } from "../../format/counts.ts";
import { decimalDollars } from "../../format/money.ts";
import { utcDayOf } from "../../format/time.ts";
import { UNKNOWN } from "../../format/unknown.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Detail, Details } from "../../parts/details.tsx";
import { CostSum, Money } from "../../parts/money.tsx";
import { Name } from "../../parts/name.tsx";
import { SidePanel } from "../../parts/side-panel.tsx";
import { Empty, Loaded, Skeleton } from "../../parts/states.tsx";
import { callsSearch } from "../calls/calls-search.ts";
import { type ModelPrice, perMillion } from "./model-columns.tsx";
import { OwnPrice } from "./own-price.tsx";
import { useModelPrices } from "./use-model-prices.ts";

type RateCard = Output<"events.cost">["rate_cards"][number];

/** One model: its price and where it comes from, and who called it. */
export function ModelPanel() {
  const model = useParams({ from: "/models/$model", select: params => params.model });
  const navigate = useNavigate();
  const price = useModelPrices(useMemo(() => [model], [model])).get(model);
  const latest = useOperation("events.list", { model, limit: 1 }, { isLive: false });
  return (
    <SidePanel
      title={<Name name={model} maxLength={60} />}
      actions={<CopyButton text={model} label="Copy the name" />}
      onClose={() => void navigate({ to: "/models" })}
    >
      <p>
        <Link to="/calls" search={callsSearch({ model })}>
          Its calls
        </Link>
      </p>
      <section aria-labelledby="price-title" className="panel-part">
        <h3 id="price-title">Price now</h3>
        {price === undefined ? <Skeleton height={80} /> : <Price price={price} />}
      </section>
      <OwnPrice model={model} provider={price?.provider ?? latest.data?.events[0]?.provider ?? null} />
      <LatestRates model={model} />
      <Users model={model} />
    </SidePanel>
  );
}

function Price({ price }: { readonly price: ModelPrice | null }) {
  if (price === null) {
    return <Empty title="No price is known">Its calls are counted, but not included in any cost.</Empty>;
  }
  return (
    <Details>
      <Detail title="Input, per 1M tokens">
        <Money microcents={perMillion(price.input_cost_per_1m_cents)} isFull />
      </Detail>
      <Detail title="Output, per 1M tokens">
        <Money microcents={perMillion(price.output_cost_per_1m_cents)} isFull />
      </Detail>
      <Detail title="Provider, class">
        {price.provider}, {price.tier}
        {price.is_legacy && ", legacy"}
      </Detail>
      <Detail title="Context">{count(price.context_window)} tokens</Detail>
    </Details>
  );
}

/** The rates of its latest call, with their source and date. */
function LatestRates({ model }: { readonly model: string }) {
  const latest = useOperation("events.list", { model, limit: 1 }, { isLive: false });
  const id = latest.data?.events[0]?.id;
  const cost = useOperation("events.cost", { id: id ?? "" }, { enabled: id !== undefined, isLive: false });
  return (
    <section aria-labelledby="rates-title" className="panel-part">
      <h3 id="rates-title">Rates of the latest call</h3>
      {latest.data?.events.length === 0 ? (
        <Empty title="No calls yet" />
      ) : (
        <Loaded query={cost}>
          {({ lines, rate_cards, explanation }) => (
            <>
              <p>{explanation}</p>
              <Details>
                {lines.flatMap(line =>
                  line.type === "usage" && line.rate_microcents !== null
                    ? [
                        <Detail
                          key={`${line.model} ${line.kind}`}
                          title={line.kind.replaceAll("_", " ")}
                          className="figure"
                        >
                          {decimalDollars(line.rate_microcents)} per {line.unit}
                        </Detail>,
                      ]
                    : [],
                )}
                {rate_cards.map(card => (
                  <Detail key={card.price_version} title="Price list">
                    {sourceOf(card)}
                  </Detail>
                ))}
              </Details>
              {id !== undefined && (
                <p>
                  <Link to="/calls/$callId" params={{ callId: id }}>
                    The receipt of that call
                  </Link>
                </p>
              )}
            </>
          )}
        </Loaded>
      )}
    </section>
  );
}

function sourceOf({ source, model, effective_from, price_version }: RateCard): string {
  const since =
    effective_from === null ? "the oldest price known" : `since ${utcDayOf(effective_from)} (UTC)`;
  return `${source}, entry ${model}, ${since}, version ${price_version}`;
}

function Users({ model }: { readonly model: string }) {
  const { range, filters } = useView();
  const query = useOperation("analytics.breakdown", {
    ...breakdownFilters(filters),
    group_by: "agent",
    model,
    from: range.from,
    to: range.to,
  });
  return (
    <section aria-labelledby="users-title" className="panel-part">
      <h3 id="users-title">Agents that called it</h3>
      <p className="muted">{range.title}</p>
      <Loaded query={query}>
        {({ groups, other }) =>
          groups.length === 0 ? (
            <Empty title="No calls in this time range" />
          ) : (
            <ul className="rows">
              {groups.map(({ key, name, call_count, cost_microcents, unpriced_calls }) => (
                <li key={key} className="row-line">
                  <p>
                    {key === null ? (
                      "Verifications"
                    ) : (
                      <Link to="/agents/$agentId" params={{ agentId: key }}>
                        <Name name={name ?? key} maxLength={48} />
                      </Link>
                    )}{" "}
                    <span className="muted">{callsOf(call_count)}</span>
                  </p>
                  <CostSum microcents={cost_microcents} unpricedCalls={unpriced_calls} />
                </li>
              ))}
              {other !== null && (
                <li className="row-line">
                  <p className="muted">Other agents, {callsOf(other.call_count)}</p>
                  <CostSum microcents={other.cost_microcents} unpricedCalls={other.unpriced_calls} />
                </li>
              )}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

const callsOf = (calls: number | null) => (calls === null ? `${UNKNOWN} calls` : plural(calls, "call"));

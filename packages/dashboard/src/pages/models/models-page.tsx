import { Outlet, useNavigate, useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { breakdownFilters } from "../../data/breakdown-filters.ts";
import { useOperation } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";
import { count, plural } from "../../format/counts.ts";
import { CsvButton } from "../../parts/csv-button.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { CostSum } from "../../parts/money.tsx";
import { Empty } from "../../parts/states.tsx";
import { cacheShareOf } from "./cache-share.ts";
import { type ModelRow, modelColumns } from "./model-columns.tsx";
import { ModelComparison } from "./model-comparison.tsx";
import { useCustomPrices } from "./use-custom-prices.ts";
import { useModelPrices } from "./use-model-prices.ts";

const MAX_SHOWN = 25;

/** Models that were called in the range: those without a price first, then the most expensive. */
export function ModelsPage() {
  const { range, filters } = useView();
  const navigate = useNavigate();
  const openKey = useParams({ strict: false, select: ({ model }) => model });
  const query = useOperation("analytics.breakdown", {
    group_by: "model",
    from: range.from,
    to: range.to,
    limit: MAX_SHOWN,
    include: "cost_kinds",
    ...(range.previous === null ? {} : { compare: "previous" }),
    ...breakdownFilters(filters),
  });
  const names = useMemo(() => query.data?.groups.flatMap(({ key }) => key ?? []) ?? [], [query.data]);
  const prices = useModelPrices(names);
  const customPriceOf = useCustomPrices();
  const rows = useMemo(
    () =>
      query.data?.groups
        .flatMap(group => (group.key === null ? [] : [{ ...group, key: group.key }]))
        .map(
          (group): ModelRow => ({
            ...group,
            price: prices.get(group.key),
            customPrice: customPriceOf(group.provider, group.key),
            cacheShare: cacheShareOf(group.cost_kinds),
          }),
        )
        .toSorted(
          (a, b) => Number(isUnpriced(b)) - Number(isUnpriced(a)) || b.cost_microcents - a.cost_microcents,
        ),
    [query.data, prices, customPriceOf],
  );
  const { data } = query;
  const arePricesKnown = data !== undefined && names.every(name => prices.has(name));
  return (
    <>
      <div className="toolbar">
        <p className="muted figure" role="status">
          {data && rows && (
            <>
              {plural(data.group_count, "model")}
              {", "}
              <CostSum microcents={data.total.cost_microcents} unpricedCalls={data.total.unpriced_calls} /> in
              all
              {data.group_count > rows.length && `; the ${count(rows.length)} most expensive are shown`}
            </>
          )}
        </p>
        <CsvButton name="models" columns={modelColumns} rows={rows} />
      </div>
      <ListTable
        query={query}
        label={`Models, ${range.title}`}
        columns={modelColumns}
        rows={rows}
        rowKey={({ key }) => key}
        openKey={openKey}
        onOpen={({ key }) => void navigate({ to: "/models/$model", params: { model: key } })}
        empty={<Empty title="No calls in this time range" />}
      />
      <ModelComparison used={arePricesKnown ? names.filter(name => prices.get(name) != null) : undefined} />
      <Outlet />
    </>
  );
}

const isUnpriced = ({ unpriced_calls }: ModelRow) => unpriced_calls !== null && unpriced_calls > 0;

import { Link } from "@tanstack/react-router";
import { MICROCENTS_PER_CENT } from "@tollgate/core/money/money";
import { useState } from "react";
import { useRole } from "../../data/session.tsx";
import { type Output, useChange, useOperation } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";
import { fullDollars } from "../../format/money.ts";
import { Actor } from "../../parts/actor.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Name } from "../../parts/name.tsx";
import { PriceForm, refreshedByPrices } from "../../parts/price-form.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { Rerating } from "./rerating.tsx";

type Override = Output<"prices.overrides.list">["overrides"][number];

/** The organization's own prices, where they differ from the price list, and their effect on earlier calls. */
export function Prices() {
  const { can } = useRole();
  return (
    <div className="settings">
      <OwnPrices />
      {can("prices.rerating.preview") && <Rerating />}
    </div>
  );
}

function OwnPrices() {
  const { can } = useRole();
  const { filters } = useView();
  const [isOpen, setIsOpen] = useState(false);
  const query = useOperation("prices.overrides.list", {}, { isLive: false });
  return (
    <Card
      title="Custom prices"
      note="Per 1M tokens, for calls made after a price is set. All other models use the price list."
      className="wide table-card settings-prices"
      actions={
        can("prices.overrides.set") && (
          <Button kind="primary" onClick={() => setIsOpen(true)}>
            Set a price
          </Button>
        )
      }
    >
      <Loaded query={query}>
        {({ overrides }) => (
          <DataTable
            label="Custom prices"
            columns={can("prices.overrides.remove") ? [...columns, removal] : columns}
            rows={inForce(overrides, filters)}
            rowKey={({ id }) => id}
            empty={<Empty title="None: the price list applies" />}
          />
        )}
      </Loaded>
      {isOpen && (
        <PriceForm
          model={filters.model ?? null}
          provider={filters.provider ?? null}
          onClose={() => setIsOpen(false)}
        />
      )}
    </Card>
  );
}

/** They come newest first, and the newest of a model counts. */
function inForce(
  overrides: readonly Override[],
  filters: { readonly model?: string; readonly provider?: string },
): readonly Override[] {
  const newest = Map.groupBy(overrides, ({ provider, model }) => `${provider} ${model}`);
  return [...newest.values()]
    .flatMap(([first]) => first ?? [])
    .filter(
      ({ provider, model }) =>
        (filters.model === undefined || filters.model.toLowerCase() === model) &&
        (filters.provider === undefined || filters.provider === provider),
    );
}

const shown = (cents: string | number | undefined) =>
  cents === undefined ? "from input price" : fullDollars(Math.round(Number(cents) * MICROCENTS_PER_CENT));

const columns: readonly Column<Override>[] = [
  {
    id: "model",
    title: "Model",
    width: "minmax(160px, 1.4fr)",
    onPhone: "title",
    cell: ({ model }) => (
      <Link to="/models/$model" params={{ model }}>
        <Name name={model} maxLength={60} />
      </Link>
    ),
  },
  { id: "provider", title: "Provider", width: "minmax(80px, 0.6fr)", cell: ({ provider }) => provider },
  {
    id: "input",
    title: "Input",
    isNumber: true,
    cell: ({ prices }) => shown(prices.input_per_million_cents),
  },
  {
    id: "output",
    title: "Output",
    isNumber: true,
    cell: ({ prices }) => shown(prices.output_per_million_cents),
  },
  {
    id: "cached",
    title: "Input from cache",
    isNumber: true,
    cell: ({ prices }) => shown(prices.cache_read_per_million_cents),
  },
  {
    id: "since",
    title: "Since",
    cell: ({ effective_from }) => <Moment at={effective_from} />,
  },
  {
    id: "by",
    title: "Set by",
    width: "minmax(120px, 1fr)",
    cell: ({ created_by }) => <Actor name={created_by} maxLength={40} />,
  },
];

const removal: Column<Override> = {
  id: "actions",
  title: "Actions",
  width: "100px",
  cell: override => <Remove override={override} />,
};

function Remove({ override: { id } }: { readonly override: Override }) {
  const remove = useChange("prices.overrides.remove", {
    refreshes: refreshedByPrices,
    done: "Removed; the price list applies again",
  });
  return (
    <Button kind="quiet" isBusy={remove.isPending} onClick={() => remove.mutate({ id })}>
      Remove
    </Button>
  );
}

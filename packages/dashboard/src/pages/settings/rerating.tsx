import { useState } from "react";
import { useRole } from "../../data/session.tsx";
import { type Input, type Output, useChange, useOperation } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";
import { count, plural } from "../../format/counts.ts";
import { exactMicrocents, signedDollars } from "../../format/money.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { CheckField } from "../../parts/field.tsx";
import { CostSum } from "../../parts/money.tsx";
import { Name } from "../../parts/name.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";

type Asked = Input<"prices.rerating.preview">;
type Answer = Output<"prices.rerating.preview">;
type Row = Answer["by_model"][number];

/** Everything whose sums contain the booked difference. */
const refreshes = [
  "prices.rerating.preview",
  "analytics.breakdown",
  "analytics.get",
  "events.list",
  "events.get",
  "events.cost",
] as const;

/** Cost of the range's calls, as booked and at the prices known now; the difference can be booked. */
export function Rerating() {
  const { search, range, filters } = useView();
  const { model, provider } = filters;
  const [isAlways, setIsAlways] = useState(false);
  const [asked, setAsked] = useState<{ readonly choice: string; readonly input: Asked } | null>(null);
  // The range moves with every call, but what was asked stays until something else is chosen.
  const choice = JSON.stringify([search.range, search.from, search.to, model, provider, isAlways]);
  const input = asked?.choice === choice ? asked.input : null;
  const ask = () =>
    setAsked({
      choice,
      input: {
        from: range.from,
        to: range.to,
        own_prices: isAlways ? "always" : "as_set",
        ...(model === undefined ? {} : { model }),
        ...(provider === undefined ? {} : { provider }),
      },
    });
  return (
    <Card
      title="Rerate"
      note={`Calls in this time range (${range.title.toLowerCase()}) at the prices known now for their day. Booked costs stay in the ledger; a difference is booked beside them.`}
      className="wide"
    >
      <div className="settings-rerating">
        <CheckField
          label="Apply custom prices to the whole range"
          help="Otherwise each applies from when it was set"
          isChecked={isAlways}
          onChange={setIsAlways}
        />
        <Button kind={input === null ? "primary" : "plain"} onClick={ask}>
          {input === null ? "Preview" : "Preview again"}
        </Button>
      </div>
      {input !== null && <Preview input={input} />}
    </Card>
  );
}

function Preview({ input }: { readonly input: Asked }) {
  const query = useOperation("prices.rerating.preview", input, { isLive: false });
  return (
    <Loaded query={query}>
      {({ total, by_model, omitted_models }) => (
        <>
          <div className="row-line">
            <p role="status" data-rerating={total.difference_microcents}>
              {plural(total.call_count, "call")}, {count(total.changed_calls)} with a different cost:{" "}
              <Cost cost={total.booked} /> booked, <Cost cost={total.rerated} /> rerated,{" "}
              <Difference microcents={total.difference_microcents} />
            </p>
            {total.changed_calls > 0 && <Book input={input} total={total} />}
          </div>
          <DataTable
            label="Costs as booked and rerated, by model"
            columns={columns}
            rows={by_model}
            rowKey={({ provider, model }) => `${provider} ${model}`}
            empty={<Empty title="No calls in this time range" />}
            foot={
              omitted_models > 0 && (
                <span className="muted">
                  {plural(omitted_models, "more model")}, with smaller differences, in the sums above
                </span>
              )
            }
          />
        </>
      )}
    </Loaded>
  );
}

function Book({ input, total }: { readonly input: Asked; readonly total: Answer["total"] }) {
  const { can } = useRole();
  const [isOpen, setIsOpen] = useState(false);
  const book = useChange("prices.rerating.apply", {
    refreshes,
    done: booked =>
      `Booked for ${plural(booked.total.changed_calls, "call")}: ${signedDollars(booked.total.difference_microcents)}`,
    onDone: () => setIsOpen(false),
  });
  if (!can("prices.rerating.apply")) return null;
  return (
    <>
      <Button kind="primary" onClick={() => setIsOpen(true)}>
        Book the difference
      </Button>
      {isOpen && (
        <ConfirmDialog
          title="Book the difference?"
          action="Book it"
          isBusy={book.isPending}
          onConfirm={() => book.mutate(input)}
          onClose={() => setIsOpen(false)}
        >
          <p>
            The cost of {plural(total.changed_calls, "call")} changes:{" "}
            {signedDollars(total.difference_microcents)} in all sums, with a line in the receipt of each call.
            Budgets keep what they have counted. Only another rerating can reverse it.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

function Cost({ cost: { cost_microcents, unpriced_calls } }: { readonly cost: Row["booked"] }) {
  if (cost_microcents === null) return <Tag kind="warning">{count(unpriced_calls)} unpriced</Tag>;
  return <CostSum microcents={cost_microcents} unpricedCalls={unpriced_calls} />;
}

function Difference({ microcents }: { readonly microcents: number | null }) {
  return (
    <span
      className="figure"
      {...(microcents === null ? {} : { title: exactMicrocents(microcents), "data-microcents": microcents })}
    >
      {signedDollars(microcents)}
    </span>
  );
}

const columns: readonly Column<Row>[] = [
  {
    id: "model",
    title: "Model",
    width: "minmax(180px, 1.6fr)",
    onPhone: "title",
    cell: ({ provider, model }) => (
      <>
        <Name name={model} maxLength={60} /> <span className="muted">{provider}</span>
      </>
    ),
  },
  { id: "calls", title: "Calls", isNumber: true, cell: ({ call_count }) => count(call_count) },
  { id: "changed", title: "Changed", isNumber: true, cell: ({ changed_calls }) => count(changed_calls) },
  { id: "booked", title: "Booked", isNumber: true, cell: ({ booked }) => <Cost cost={booked} /> },
  { id: "rerated", title: "Rerated", isNumber: true, cell: ({ rerated }) => <Cost cost={rerated} /> },
  {
    id: "difference",
    title: "Difference",
    isNumber: true,
    onPhone: "amount",
    cell: ({ difference_microcents }) => <Difference microcents={difference_microcents} />,
  },
];

import { modelTiers } from "@tollgate/core/models/model-tier";
import { useState } from "react";
import { type Output, useOperation } from "../../data/use-operation.ts";
import { compactCount, count, signedPercent } from "../../format/counts.ts";
import { shortName } from "../../format/name.ts";
import { Card } from "../../parts/card.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { ChoiceField } from "../../parts/field.tsx";
import { Money } from "../../parts/money.tsx";
import { Name } from "../../parts/name.tsx";
import { Empty } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { perMillion } from "./model-columns.tsx";

type Compared = Output<"models.compare">["models"][number];
type ModelTier = Compared["tier"];

const difference = ({ savings_vs_current_pct }: Compared) =>
  savings_vs_current_pct === null ? null : -savings_vs_current_pct / 100;

const columns: readonly Column<Compared>[] = [
  {
    id: "model",
    title: "Model",
    width: "minmax(170px, 2fr)",
    onPhone: "title",
    value: ({ model }) => model,
    cell: ({ model, is_legacy }) => (
      <>
        <Name name={model} maxLength={48} /> {is_legacy && <Tag>legacy</Tag>}
      </>
    ),
  },
  {
    id: "provider",
    title: "Provider",
    width: "minmax(84px, 0.7fr)",
    value: ({ provider }) => provider,
    cell: ({ provider }) => provider,
  },
  {
    id: "tier",
    title: "Class",
    width: "minmax(90px, 0.7fr)",
    value: ({ tier }) => tier,
    cell: ({ tier }) => <Tag>{tier}</Tag>,
  },
  {
    id: "context",
    title: "Context",
    isNumber: true,
    width: "minmax(70px, 0.5fr)",
    value: ({ context_window }) => context_window,
    cell: ({ context_window }) => <span title={count(context_window)}>{compactCount(context_window)}</span>,
  },
  {
    id: "caching",
    title: "Caching",
    width: "minmax(70px, 0.5fr)",
    value: ({ supports_caching }) => (supports_caching ? "yes" : "no"),
    cell: ({ supports_caching }) => (supports_caching ? "yes" : "no"),
  },
  {
    id: "input",
    title: "In, per 1M",
    isNumber: true,
    width: "minmax(92px, 0.7fr)",
    value: ({ input_cost_per_1m_cents }) => input_cost_per_1m_cents,
    cell: ({ input_cost_per_1m_cents }) => <Money microcents={perMillion(input_cost_per_1m_cents)} isFull />,
  },
  {
    id: "output",
    title: "Out, per 1M",
    isNumber: true,
    width: "minmax(92px, 0.7fr)",
    onPhone: "amount",
    value: ({ output_cost_per_1m_cents }) => output_cost_per_1m_cents,
    cell: ({ output_cost_per_1m_cents }) => (
      <Money microcents={perMillion(output_cost_per_1m_cents)} isFull />
    ),
  },
  {
    id: "difference",
    title: "vs selected",
    isNumber: true,
    width: "minmax(84px, 0.6fr)",
    value: difference,
    cell: model => signedPercent(difference(model)),
  },
];

/** The price list side by side, cheapest first, against a model in use that it has. `used` is undefined until it is known. */
export function ModelComparison({ used }: { readonly used: readonly string[] | undefined }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const [tier, setTier] = useState<ModelTier | null>(null);
  const current = chosen ?? used?.[0] ?? null;
  const query = useOperation(
    "models.compare",
    { ...(current === null ? {} : { current_model: current }), ...(tier === null ? {} : { tier }) },
    { enabled: used !== undefined, isLive: false },
  );
  const { data } = query;
  return (
    <Card
      title="Compare prices"
      className="models-comparison"
      note={
        data && (
          <>
            {count(data.models.length)} of {count(data.model_count)} models, cheapest first, by{" "}
            {data.compared_on}
          </>
        )
      }
      actions={
        <>
          <ChoiceField
            isLabelHidden
            label="Compare with"
            className="models-choice"
            value={current ?? ""}
            options={
              used?.length === 0
                ? [{ value: "", label: "no model in use" }]
                : (used ?? []).map(model => ({ value: model, label: shortName(model, 48) }))
            }
            onChange={setChosen}
          />
          <ChoiceField
            isLabelHidden
            label="Class of models"
            className="models-choice"
            value={tier ?? ""}
            options={[
              { value: "", label: "All classes" },
              ...modelTiers.map(value => ({ value, label: value })),
            ]}
            onChange={chosen => setTier(chosen === "" ? null : chosen)}
          />
        </>
      }
    >
      <DataTable
        label="Prices of models"
        columns={columns}
        rows={data?.models}
        rowKey={({ provider, model }) => `${provider} ${model}`}
        height="420px"
        empty={<Empty title="No models in this class" />}
      />
    </Card>
  );
}

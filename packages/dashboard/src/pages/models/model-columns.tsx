import { MICROCENTS_PER_CENT } from "@tollgate/core/money/money";
import type { Output } from "../../data/use-operation.ts";
import { percent } from "../../format/counts.ts";
import { UNKNOWN } from "../../format/unknown.ts";
import type { Column } from "../../parts/data-table.tsx";
import { Money } from "../../parts/money.tsx";
import { Name } from "../../parts/name.tsx";
import { Skeleton } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { callsColumn, changeColumn, costColumn, failedColumn } from "../../parts/usage-columns.tsx";

type Group = Output<"analytics.breakdown">["groups"][number];
export type ModelPrice = NonNullable<Output<"models.compare">["current_model_info"]>;

export type CustomPrice = Output<"prices.overrides.list">["overrides"][number]["prices"];

export interface ModelRow extends Group {
  readonly key: string;
  /** undefined: still loading. null: no price is known. */
  readonly price: ModelPrice | null | undefined;
  /** The organization's own price, which applies instead of the price list's. */
  readonly customPrice: CustomPrice | undefined;
  /** null: its input cost nothing that is known. */
  readonly cacheShare: number | null;
}

/** Prices have fractions of a cent. */
export const perMillion = (cents: number) => Math.round(cents * MICROCENTS_PER_CENT);

interface PriceColumn {
  readonly title: string;
  readonly of: (price: ModelPrice) => number;
  readonly ofCustom: (price: CustomPrice) => number | string;
}

function priceColumn(id: string, { title, of, ofCustom }: PriceColumn): Column<ModelRow> {
  return {
    id,
    title,
    isNumber: true,
    width: "minmax(92px, 0.7fr)",
    value: ({ price, customPrice }) =>
      customPrice !== undefined
        ? Number(ofCustom(customPrice)) / 100
        : price == null
          ? null
          : of(price) / 100,
    cell: ({ price, customPrice }) =>
      customPrice !== undefined ? (
        <Money microcents={perMillion(Number(ofCustom(customPrice)))} isFull />
      ) : price === undefined ? (
        <Skeleton height={14} />
      ) : price === null ? (
        UNKNOWN
      ) : of(price) === 0 && price.input_cost_per_1m_cents > 0 ? (
        <span title="This model has no output">{UNKNOWN}</span>
      ) : (
        <Money microcents={perMillion(of(price))} isFull />
      ),
  };
}

export const modelColumns: readonly Column<ModelRow>[] = [
  {
    id: "model",
    title: "Model",
    width: "minmax(170px, 2fr)",
    onPhone: "title",
    value: ({ key }) => key,
    cell: ({ key, price, customPrice }) => (
      <>
        <Name name={key} maxLength={48} />{" "}
        {price?.is_legacy && (
          <Tag title="The provider has replaced it, or is about to switch it off">legacy</Tag>
        )}{" "}
        {customPrice !== undefined && <Tag title="The organization has set its own price">custom price</Tag>}
      </>
    ),
  },
  {
    id: "provider",
    title: "Provider",
    width: "minmax(84px, 0.7fr)",
    value: ({ provider }) => provider,
    cell: ({ provider }) => (provider === null ? UNKNOWN : <Name name={provider} maxLength={24} />),
  },
  callsColumn("minmax(70px, 0.5fr)"),
  failedColumn("minmax(66px, 0.5fr)"),
  {
    id: "cache",
    title: "From cache",
    isNumber: true,
    width: "minmax(88px, 0.5fr)",
    value: ({ cacheShare }) => cacheShare,
    cell: ({ cacheShare }) => (
      <span title="The share of the input’s cost that was read from a cache">{percent(cacheShare)}</span>
    ),
  },
  priceColumn("input", {
    title: "In, per 1M",
    of: ({ input_cost_per_1m_cents }) => input_cost_per_1m_cents,
    ofCustom: ({ input_per_million_cents }) => input_per_million_cents,
  }),
  priceColumn("output", {
    title: "Out, per 1M",
    of: ({ output_cost_per_1m_cents }) => output_cost_per_1m_cents,
    ofCustom: ({ output_per_million_cents }) => output_per_million_cents,
  }),
  changeColumn("minmax(96px, 0.6fr)"),
  costColumn("spend", "Spend"),
];

import { type Tier, type TierLimits, tierNames, tiers, tierTitles } from "@tollgate/core/limits/tiers";
import { useSession } from "../../data/session.tsx";
import { count } from "../../format/counts.ts";
import { Card } from "../../parts/card.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Tag } from "../../parts/tag.tsx";

interface Row {
  readonly tier: Tier;
  readonly limits: TierLimits;
}

const rows: readonly Row[] = tierNames.map(tier => ({ tier, limits: tiers[tier] }));
const shown = (limit: number) => (Number.isFinite(limit) ? count(limit) : "unlimited");

const limitColumns: readonly [keyof TierLimits, string][] = [
  ["agents", "Agents"],
  ["monthlyCalls", "Calls per month"],
  ["burstPerMinute", "Calls per minute"],
  ["historyDays", "Days of history"],
  ["budgets", "Budgets"],
];

export function PlanPage() {
  const { organization } = useSession();
  const columns: Column<Row>[] = [
    {
      id: "tier",
      title: "Tier",
      onPhone: "title",
      cell: ({ tier }) => (
        <>
          {tierTitles[tier]} {tier === organization.tier && <Tag kind="accent">yours</Tag>}
        </>
      ),
    },
    ...limitColumns.map(([name, title]) => ({
      id: name,
      title,
      isNumber: true,
      cell: ({ limits }: Row) => shown(limits[name]),
    })),
  ];
  return (
    <Card
      title="What each tier includes"
      note={
        <>
          The operator of this installation can change a tier: <code>svc org update ID --tier pro</code>. It
          takes effect within a second.
        </>
      }
    >
      <DataTable label="Tiers" columns={columns} rows={rows} rowKey={({ tier }) => tier} empty={null} />
    </Card>
  );
}

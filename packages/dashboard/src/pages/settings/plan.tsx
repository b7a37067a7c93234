import { type Tier, type TierLimits, tierNames, tiers, tierTitles } from "@tollgate/core/limits/tiers";
import { useLiveTotals } from "../../data/live.tsx";
import { useScope } from "../../data/scope.tsx";
import { useSession } from "../../data/session.tsx";
import { useOperation } from "../../data/use-operation.ts";
import { count, percent } from "../../format/counts.ts";
import { Card } from "../../parts/card.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Meter } from "../../parts/meter.tsx";
import { Tag } from "../../parts/tag.tsx";

/** The tier, how much of each limit is used, and what the others include. */
export function Plan() {
  const { organization } = useSession();
  return (
    <div className="settings">
      <Card
        title={`Your tier: ${tierTitles[organization.tier]}`}
        note="How much of each limit is used now"
        className="wide"
      >
        <Usage />
      </Card>
      <Tiers own={organization.tier} />
    </div>
  );
}

function Usage() {
  const { mode } = useScope();
  const { limits } = useSession().organization;
  const totals = useLiveTotals();
  const agents = useOperation("agents.list", { limit: 1 });
  const budgets = useOperation("budgets.list", {});
  return (
    <ul className="settings-usage">
      <Limit title="Agents" used={agents.data?.total} limit={limits.agents} />
      {mode === "live" ? (
        <Limit title="Calls this month (UTC)" used={totals?.month.calls} limit={limits.monthly_calls} />
      ) : (
        <Limit
          title="Calls this month (UTC)"
          note="test calls are not counted"
          limit={limits.monthly_calls}
        />
      )}
      <Limit title="Budgets" used={budgets.data?.budgets.length} limit={limits.budgets} />
      <Limit title="Calls per minute" note="counted by the gateway" limit={limits.burst_per_minute} />
      <Limit title="Days of history" note="older calls are not shown" limit={limits.history_days} />
    </ul>
  );
}

interface LimitProps {
  readonly title: string;
  /** undefined: not known. */
  readonly used?: number | undefined;
  /** null: unlimited. */
  readonly limit: number | null;
  /** Where nothing is used up. */
  readonly note?: string;
}

/** From here on a limit is near. */
const NEAR_SHARE = 0.8;

function Limit({ title, used, limit, note }: LimitProps) {
  const share = used === undefined || limit === null ? null : used / limit;
  const of = limit === null ? "unlimited" : count(limit);
  const text = note === undefined ? `${count(used)} of ${of}` : of;
  return (
    <li data-limit={title}>
      <span>
        {title} {note !== undefined && <span className="muted">({note})</span>}
      </span>
      <span className="figure">
        {text} {share !== null && <span className="muted">{percent(share)}</span>}
      </span>
      {share !== null && (
        <Meter
          label={title}
          text={text}
          share={share}
          kind={share >= 1 ? "bad" : share >= NEAR_SHARE ? "warning" : "plain"}
        />
      )}
    </li>
  );
}

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

function Tiers({ own }: { readonly own: Tier }) {
  const columns: Column<Row>[] = [
    {
      id: "tier",
      title: "Tier",
      onPhone: "title",
      cell: ({ tier }) => (
        <>
          {tierTitles[tier]} {tier === own && <Tag kind="accent">yours</Tag>}
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
      className="wide"
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

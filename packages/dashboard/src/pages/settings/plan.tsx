import { type Tier, type TierLimits, tierNames, tiers, tierTitles } from "@tollgate/core/limits/tiers";
import type { ReactNode } from "react";
import { useSession } from "../../data/session.tsx";
import { useOperation } from "../../data/use-operation.ts";
import { count, percent } from "../../format/counts.ts";
import { NEAR_LIMIT_SHARE } from "../../format/near-limit.ts";
import { Card } from "../../parts/card.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Meter } from "../../parts/meter.tsx";
import { ResetTime } from "../../parts/reset-time.tsx";
import { Loaded } from "../../parts/states.tsx";
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
  const usage = useOperation("organization.usage", {});
  return (
    <Loaded query={usage}>
      {({ agents, monthly_calls, budgets, burst_per_minute, history_days }) => (
        <ul className="settings-usage">
          <Limit title="Agents" {...agents} />
          <Limit
            title="Live calls this month (UTC)"
            note={
              <>
                resets <ResetTime at={monthly_calls.resets_at} />
              </>
            }
            used={monthly_calls.used}
            limit={monthly_calls.limit}
          />
          <Limit title="Budgets" {...budgets} />
          <Limit title="Calls per minute" note="current use is not shown" {...burst_per_minute} />
          <Limit
            title="Days of history"
            note={history_days.limit === null ? undefined : "older calls are not shown"}
            {...history_days}
          />
        </ul>
      )}
    </Loaded>
  );
}

interface LimitProps {
  readonly title: string;
  /** null: not known. */
  readonly used: number | null;
  /** null: unlimited. */
  readonly limit: number | null;
  readonly note?: ReactNode;
}

const withoutLimit = (used: number | null) => (used === null ? "unlimited" : `${count(used)}, no limit`);

function Limit({ title, used, limit, note }: LimitProps) {
  const share = used === null || limit === null ? null : used / limit;
  const text = limit === null ? withoutLimit(used) : `${count(used)} of ${count(limit)}`;
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
          kind={share >= 1 ? "bad" : share >= NEAR_LIMIT_SHARE ? "warning" : "plain"}
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
      width: "minmax(140px, 1fr)",
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

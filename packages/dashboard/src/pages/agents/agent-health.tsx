import { percent } from "../../format/counts.ts";
import { UNKNOWN } from "../../format/unknown.ts";
import { Card } from "../../parts/card.tsx";
import { Meter } from "../../parts/meter.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { type Health, useHealth } from "./use-health.ts";

const parts = [
  ["reliability", "Reliability", 30, "Share of calls that succeed, at the lower bound of its interval"],
  ["cost_efficiency", "Cost efficiency", 25, "1 minus the share of spend that the leak scan counts as waste"],
  ["outcomes", "Outcomes", 20, "Share of outcomes that succeeded"],
  ["latency_steadiness", "Steady duration", 15, "95th percentile over median, last 7 days compared with 30"],
  ["budgets", "Budgets", 10, "Share of ended budget periods within the limit"],
] as const;

export const gradeKinds = { A: "good", B: "good", C: "warning", D: "bad", F: "bad" } as const;

interface AgentHealthProps {
  readonly agentId: string;
  readonly isArchived: boolean;
}

export function AgentHealth({ agentId, isArchived }: AgentHealthProps) {
  const query = useHealth();
  return (
    <Card title="Health" note="Last 30 days">
      {isArchived ? (
        <Empty title="An archived agent has no score" />
      ) : (
        <Loaded query={query}>
          {scores => {
            const health = scores.get(agentId);
            return health === undefined ? <Empty title="Not scored yet" /> : <Score health={health} />;
          }}
        </Loaded>
      )}
    </Card>
  );
}

function Score({ health }: { readonly health: Health }) {
  return (
    <>
      <p className="health-lead">
        <span className="health-score figure" data-stat="health">
          {health.score ?? UNKNOWN}
        </span>{" "}
        {health.grade !== null && <Tag kind={gradeKinds[health.grade]}>grade {health.grade}</Tag>}{" "}
        {health.is_stale && <Tag kind="warning">no call for seven days</Tag>}{" "}
        <span className="muted">
          {health.status === "insufficient_data"
            ? `Fewer than 20 calls in 30 days: ${health.calls}`
            : `based on ${percent(health.data_completeness)} of the possible data`}
        </span>
      </p>
      <dl className="health-parts">
        {parts.map(([key, title, weight, meaning]) => {
          // Of a few calls they would look like a verdict: one call that succeeded is a reliability of 20.7%.
          const value = health.score === null ? null : health.parts[key];
          return (
            <div key={key} title={meaning}>
              <dt>
                {title} <span className="muted">weight {weight}</span>
              </dt>
              <dd>
                {value !== null && <Meter label={title} text={percent(value)} share={value} />}
                <span className="figure">{percent(value)}</span>
              </dd>
            </div>
          );
        })}
      </dl>
    </>
  );
}

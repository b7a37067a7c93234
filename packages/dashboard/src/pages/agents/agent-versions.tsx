import type { ReactNode } from "react";
import { type Output, useOperation } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";
import { changeSince, count, percent, shareOf, signedPercent } from "../../format/counts.ts";
import { Card } from "../../parts/card.tsx";
import { CostSum, Money } from "../../parts/money.tsx";
import { Name } from "../../parts/name.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";

type Version = Output<"analytics.breakdown">["groups"][number];

const MAX_SHOWN = 5;

/** The agent's config versions side by side; the most expensive is what the others are compared with. */
export function AgentVersions({ agentId }: { readonly agentId: string }) {
  const { range } = useView();
  const query = useOperation("analytics.breakdown", {
    agent_id: agentId,
    group_by: "config_version",
    from: range.from,
    to: range.to,
    interval: "none",
    limit: MAX_SHOWN,
  });
  return (
    <Card title="Config versions" className="wide" note={range.title}>
      <Loaded query={query}>
        {({ groups, group_count }) =>
          groups.every(({ key }) => key === null) ? (
            <Empty title="No config versions">
              Calls name one with the header <code>X-Config-Version</code>.
            </Empty>
          ) : (
            <>
              <Comparison versions={groups} />
              {group_count > groups.length && (
                <p className="muted">
                  The {groups.length} most expensive of {count(group_count)}
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

function Comparison({ versions }: { readonly versions: readonly Version[] }) {
  const [first] = versions;
  return (
    <div className="versions" role="group" aria-label="Config versions side by side" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <td />
            {versions.map(({ key }) => (
              <th key={key} scope="col" className="number">
                {key === null ? <span className="muted">none</span> : <Name name={key} maxLength={24} />}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Line title="Spend" versions={versions}>
            {({ cost_microcents, unpriced_calls }) => (
              <CostSum microcents={cost_microcents} unpricedCalls={unpriced_calls} />
            )}
          </Line>
          <Line title="Calls" versions={versions}>
            {({ call_count }) => count(call_count)}
          </Line>
          <Line title="Cost per call" versions={versions}>
            {version => (
              <>
                <Money microcents={perCall(version)} />
                {version !== first && first !== undefined && (
                  <span className="muted versions-change">
                    {signedPercent(changeSince(perCall(first), perCall(version)))}
                  </span>
                )}
              </>
            )}
          </Line>
          <Line title="Failed calls" versions={versions}>
            {({ call_count, error_count }) => percent(ratio(error_count, call_count))}
          </Line>
          <Line title="Input tokens per call" versions={versions}>
            {({ call_count, input_tokens }) => count(ratio(input_tokens, call_count))}
          </Line>
          <Line title="Output tokens per call" versions={versions}>
            {({ call_count, output_tokens }) => count(ratio(output_tokens, call_count))}
          </Line>
        </tbody>
      </table>
    </div>
  );
}

interface LineProps {
  readonly title: string;
  readonly versions: readonly Version[];
  readonly children: (version: Version) => ReactNode;
}

function Line({ title, versions, children }: LineProps) {
  return (
    <tr>
      <th scope="row">{title}</th>
      {versions.map(version => (
        <td key={version.key} className="number">
          {children(version)}
        </td>
      ))}
    </tr>
  );
}

const ratio = (part: number | null, of: number | null) =>
  part === null || of === null ? null : shareOf(part, of);

function perCall({ cost_microcents, call_count, unpriced_calls }: Version): number | null {
  if (call_count === null || unpriced_calls === null) return null;
  const share = shareOf(cost_microcents, call_count - unpriced_calls);
  return share === null ? null : Math.round(share);
}

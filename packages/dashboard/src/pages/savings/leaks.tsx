import { Link } from "@tanstack/react-router";
import type { LeakCheckName, LeakSeverity } from "@tollgate/core/leaks/finding";
import { tierTitles } from "@tollgate/core/limits/tiers";
import { useState } from "react";
import { useRole } from "../../data/session.tsx";
import { type Input, type Output, useChange, useOperation } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";
import { count, plural } from "../../format/counts.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { CheckField } from "../../parts/field.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Stat } from "../../parts/stat.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { BudgetDialog } from "../budgets/budget-dialog.tsx";
import { AgentLink } from "./agent-link.tsx";
import { Evidence } from "./evidence.tsx";
import { centsInDollars, savingReads } from "./saving-words.ts";
import { useAgentsInExperiment } from "./use-agents-in-experiment.ts";

type Finding = Output<"cost_leak_scan.run">["findings"][number];

const checkTitles: Readonly<Record<LeakCheckName, string>> = {
  idle_agents: "Idle agents",
  model_overprovisioning: "Too strong a model",
  missing_caching: "Missing caching",
  high_error_rates: "Failing calls",
  context_bloat: "Growing contexts",
  missing_budgets: "Missing budgets",
  cross_provider_arbitrage: "Cheaper elsewhere",
};

const severityKinds: Readonly<Record<LeakSeverity, "bad" | "warning" | "plain">> = {
  critical: "bad",
  high: "bad",
  medium: "warning",
  low: "plain",
};

/** Findings of the seven leak checks. */
export function Leaks() {
  const { filters } = useView();
  const { missingTier } = useRole();
  const [hasLow, setHasLow] = useState(false);
  const tier = missingTier("cost_leak_scan.run");
  const query = useOperation(
    "cost_leak_scan.run",
    { include_low_severity: hasLow, ...(filters.agent === undefined ? {} : { agent_id: filters.agent }) },
    { enabled: tier === null, isLive: false },
  );
  const tested = useAgentsInExperiment({ limit: 200 }, { enabled: tier === null });
  if (tier !== null) {
    return (
      <Card title="Leak scan">
        <Empty title={`The leak scan is included from the ${tierTitles[tier]} tier`} />
      </Card>
    );
  }
  const scan = query.data;
  return (
    <div className="savings">
      <Card
        title="Leak scan"
        note={
          scan && (
            <>
              {plural(scan.total_agents_scanned, "agent")} by {plural(scan.checks_run.length, "check")}, as of{" "}
              <Moment at={scan.scan_timestamp} />
              {scan.agents_left_out > 0 && `; ${plural(scan.agents_left_out, "agent")} left out`}
            </>
          )
        }
        actions={
          <Button isBusy={query.isFetching} onClick={() => void query.refetch()}>
            Scan again
          </Button>
        }
      >
        <dl className="stats savings-figures">
          <Stat
            label="Leak score"
            name="leak-score"
            value={scan && `${scan.health_score} of 100`}
            note="100: no findings"
            isLarge
          />
          <Stat label="Findings" name="leaks" value={scan && count(scan.total_leaks_found)} />
          <Stat
            label="Waste per month"
            name="waste"
            value={scan && centsInDollars(scan.total_estimated_waste_monthly_cents)}
            note="Estimated, for all findings"
          />
        </dl>
        <CheckField
          label="Include low-severity findings"
          isChecked={hasLow}
          onChange={setHasLow}
          help={
            scan && scan.hidden_low_severity > 0
              ? `${plural(scan.hidden_low_severity, "finding")} counted above but not listed`
              : undefined
          }
        />
        <Loaded query={query}>
          {({ findings }) =>
            findings.length === 0 ? (
              <Empty title="No leaks found" />
            ) : (
              <ul className="saving-rows">
                {findings.map(finding => (
                  <FindingRow
                    key={`${finding.check} ${finding.agent_id} ${finding.description}`}
                    finding={finding}
                    isInExperiment={finding.agent_id !== null && tested.has(finding.agent_id)}
                  />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Card>
    </div>
  );
}

/** The optimization that fixes the finding; null: none does. */
function fixOf({
  auto_fixable,
  check,
  agent_id,
  evidence,
}: Finding): Input<"agents.optimizations.apply"> | null {
  if (!auto_fixable || agent_id === null) return null;
  if (check === "missing_caching") return { id: agent_id, optimization_type: "prompt_caching" };
  const model = evidence.cheaper_model;
  return check === "model_overprovisioning" && typeof model === "string"
    ? { id: agent_id, optimization_type: "model_switch", payload: { model } }
    : null;
}

interface FindingRowProps {
  readonly finding: Finding;
  /** See `useAgentsInExperiment`. */
  readonly isInExperiment: boolean;
}

function FindingRow({ finding, isInExperiment }: FindingRowProps) {
  const { can } = useRole();
  const [isBudgeting, setIsBudgeting] = useState(false);
  const apply = useChange("agents.optimizations.apply", {
    refreshes: savingReads,
    done: ({ message }) => message,
  });
  const fix = fixOf(finding);
  const isTested = fix?.optimization_type === "model_switch" && isInExperiment;
  return (
    <li data-leak={finding.check}>
      <div>
        <p>
          <Tag kind={severityKinds[finding.severity]}>{finding.severity}</Tag>{" "}
          <strong>{checkTitles[finding.check]}</strong> · <AgentLink id={finding.agent_id} />{" "}
          {finding.estimated_waste_monthly_cents > 0 && (
            <Tag kind="warning">{centsInDollars(finding.estimated_waste_monthly_cents)} a month</Tag>
          )}
        </p>
        <p>{finding.description}</p>
        <p className="muted">{finding.fix}</p>
        <details className="savings-more">
          <summary>The numbers behind it</summary>
          <Evidence evidence={finding.evidence} />
        </details>
      </div>
      <div className="card-actions">
        {isTested && <Link to="/savings/experiments">In an experiment</Link>}
        {fix !== null && !isTested && can("agents.optimizations.apply") && (
          <Button kind="primary" isBusy={apply.isPending} onClick={() => apply.mutate(fix)}>
            Apply
          </Button>
        )}
        {finding.check === "missing_budgets" && can("budgets.create") && (
          <Button onClick={() => setIsBudgeting(true)}>Set a budget</Button>
        )}
      </div>
      {isBudgeting && (
        <BudgetDialog
          subject={finding.agent_id === null ? undefined : { kind: "agent", id: finding.agent_id }}
          onClose={() => setIsBudgeting(false)}
        />
      )}
    </li>
  );
}

import { Link } from "@tanstack/react-router";
import { isOptimizationType } from "@tollgate/core/suggestions/suggestion-types";
import { useState } from "react";
import { useRole } from "../../data/session.tsx";
import { type Output, useChange } from "../../data/use-operation.ts";
import { percent, plural } from "../../format/counts.ts";
import { Button } from "../../parts/button.tsx";
import { Tag } from "../../parts/tag.tsx";
import { Evidence } from "./evidence.tsx";
import { ExperimentForm } from "./experiment-form.tsx";
import { centsInDollars, savingReads } from "./saving-words.ts";
import { VerificationForm } from "./verification-form.tsx";

type Suggestion = Output<"suggestions.list">["suggestions"][number];

interface SuggestionRowProps {
  readonly suggestion: Suggestion;
  /** See `useAgentsInExperiment`. */
  readonly isInExperiment: boolean;
}

/** A suggestion, and what can be done with it: apply it, test it first, or verify it. */
export function SuggestionRow({ suggestion, isInExperiment }: SuggestionRowProps) {
  const { can } = useRole();
  const [open, setOpen] = useState<"test" | "verify" | null>(null);
  const apply = useChange("agents.optimizations.apply", {
    refreshes: savingReads,
    done: ({ message }) => message,
  });
  const { agent_id: agentId, type, one_click } = suggestion;
  const models = switchOf(suggestion);
  const { observed_days: observedDays } = suggestion.evidence;
  const isTested = models !== null && isInExperiment;
  return (
    <li data-suggestion={type}>
      <div>
        <p>
          <strong>{suggestion.title}</strong>{" "}
          {suggestion.impact_monthly_cents !== 0 && (
            <Tag kind="good" title="In 30 days at this rate">
              {suggestion.is_revenue ? "+" : "saves "}
              {centsInDollars(suggestion.impact_monthly_cents)} a month
            </Tag>
          )}
        </p>
        <p>{suggestion.description}</p>
        <p className="muted">
          {/* Advice that saves nothing is not "0% of what the agent costs". */}
          {suggestion.savings_pct === null || suggestion.savings_pct === 0
            ? "Confidence "
            : `${percent(suggestion.savings_pct / 100)} of what the agent costs; confidence `}
          {percent(suggestion.confidence)}
          {typeof observedDays === "number" && `; projected from ${plural(observedDays, "observed day")}`}
          {suggestion.caveat !== null && `. ${suggestion.caveat}`}
        </p>
        <details className="savings-more">
          <summary>The numbers behind it</summary>
          <Evidence evidence={suggestion.evidence} />
        </details>
      </div>
      <div className="card-actions">
        {agentId !== null && models !== null && can("verify.requests.create") && (
          <Button onClick={() => setOpen("verify")}>Verify</Button>
        )}
        {isTested && <Link to="/savings/experiments">In an experiment</Link>}
        {agentId !== null && models !== null && !isTested && can("experiments.create") && (
          <Button onClick={() => setOpen("test")}>Test first</Button>
        )}
        {agentId !== null &&
          one_click &&
          !isTested &&
          isOptimizationType(type) &&
          can("agents.optimizations.apply") && (
            <Button
              kind="primary"
              isBusy={apply.isPending}
              onClick={() => apply.mutate({ id: agentId, optimization_type: type })}
            >
              Apply
            </Button>
          )}
      </div>
      {open === "test" && agentId !== null && models !== null && (
        <ExperimentForm agentId={agentId} treatmentModel={models.to} onClose={() => setOpen(null)} />
      )}
      {open === "verify" && agentId !== null && models !== null && (
        <VerificationForm
          agentId={agentId}
          prodModel={models.from}
          candidateModel={models.to}
          onClose={() => setOpen(null)}
        />
      )}
    </li>
  );
}

/** The models of a suggested switch; null: it is none. */
function switchOf({ type, evidence }: Suggestion): { readonly from: string; readonly to: string } | null {
  const { current_model: from, recommended_model: to } = evidence;
  return type === "model_switch" && typeof from === "string" && typeof to === "string" ? { from, to } : null;
}

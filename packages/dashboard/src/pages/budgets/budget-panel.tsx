import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useOperation } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";
import { percent } from "../../format/counts.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Detail, Details } from "../../parts/details.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Money } from "../../parts/money.tsx";
import { ResetTime } from "../../parts/reset-time.tsx";
import { SidePanel } from "../../parts/side-panel.tsx";
import { Loaded } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";
import { BudgetActions } from "./budget-actions.tsx";
import { BudgetForecast, usePace } from "./budget-forecast.tsx";
import { BudgetHistory } from "./budget-history.tsx";
import { BudgetRefusals } from "./budget-refusals.tsx";
import { type Budget, SubjectName, subjectOf } from "./budget-subject.tsx";
import { BudgetUsage } from "./budget-usage.tsx";
import { enforcementHelp, enforcementTitles, periodTitles } from "./budget-words.ts";
import { useExhaustions } from "./use-budgets.ts";

export function BudgetPanel() {
  const id = useParams({ from: "/budgets/$budgetId", select: ({ budgetId }) => budgetId });
  const navigate = useNavigate();
  const budget = useOperation("budgets.get", { id });
  const close = () => void navigate({ to: "/budgets" });
  return (
    <SidePanel title="Budget" actions={<CopyButton text={id} label="Copy the id" />} onClose={close}>
      <Loaded query={budget}>{data => <BudgetDetails budget={data} onDeleted={close} />}</Loaded>
    </SidePanel>
  );
}

function BudgetDetails({ budget, onDeleted }: { readonly budget: Budget; readonly onDeleted: () => void }) {
  const { range } = useView();
  const pace = usePace(budget);
  const prediction = useExhaustions().get(budget.id);
  const interval = prediction?.evidence.breach_interval;
  return (
    <>
      <p className="panel-lead">
        <strong>
          <SubjectName subject={subjectOf(budget)} />
        </strong>
        <Tag>{periodTitles[budget.period]}</Tag>
        {budget.status === "paused" && <Tag kind="warning">paused</Tag>}
      </p>
      <BudgetUsage budget={budget} pace={pace} />
      <p>
        <BudgetForecast budget={budget} pace={pace} prediction={prediction} />
      </p>
      {prediction !== undefined && (
        <p className="muted">
          {prediction.message}. Based on {prediction.evidence.n} {prediction.evidence.unit}s
          {interval != null && (
            <>
              ; with 95% confidence not before <Moment at={interval.earliest} />
              {interval.latest === null ? (
                ", perhaps not in this period"
              ) : (
                <>
                  {" "}
                  and by <Moment at={interval.latest} />
                </>
              )}
            </>
          )}
          ; {percent(prediction.confidence)} confidence after correcting for all tests.
        </p>
      )}
      <BudgetActions budget={budget} onDeleted={onDeleted} />
      <BudgetHistory budget={budget} />
      <section aria-labelledby="refused-title" className="panel-part">
        <h3 id="refused-title">Refused calls, {range.title.toLowerCase()}</h3>
        <BudgetRefusals budgetId={budget.id} />
        <p>
          <Link to="/calls" search={before => ({ ...before, show: "refused" as const, budget: budget.id })}>
            All calls it refused
          </Link>
        </p>
      </section>
      <section aria-labelledby="details-title" className="panel-part">
        <h3 id="details-title">Settings</h3>
        <Details>
          <Detail title="At the limit">
            {enforcementTitles[budget.enforcement_mode]}: {enforcementHelp[budget.enforcement_mode]}
          </Detail>
          <Detail title="Warning at">{budget.warning_pct}% of the limit</Detail>
          <Detail title="Strict">{budget.strict ? "yes: the limit is never exceeded" : "no"}</Detail>
          <Detail title="Unknown prices">
            {budget.allow_unpriced
              ? "allowed, not counted"
              : budget.enforcement_mode === "hard_block"
                ? "refused"
                : null}
          </Detail>
          <Detail title="Withheld">
            {budget.withheld_microcents === 0 ? null : (
              <Money microcents={budget.withheld_microcents} isFull />
            )}
          </Detail>
          <Detail title="Counted from">
            <Moment at={budget.counted_from} as="full" />
          </Detail>
          <Detail title="Resets">
            <ResetTime at={budget.resets_at} />
          </Detail>
          <Detail title="Created">
            <Moment at={budget.created_at} as="full" />
          </Detail>
          <Detail title="Id">
            <code>{budget.id}</code>
          </Detail>
        </Details>
      </section>
    </>
  );
}

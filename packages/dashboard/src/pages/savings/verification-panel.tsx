import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useRole } from "../../data/session.tsx";
import { type Output, useChange, useOperation } from "../../data/use-operation.ts";
import { percent } from "../../format/counts.ts";
import { dollars } from "../../format/money.ts";
import { duration } from "../../format/time.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Detail, Details } from "../../parts/details.tsx";
import { Moment } from "../../parts/moment.tsx";
import { CostSum, Money } from "../../parts/money.tsx";
import { Name } from "../../parts/name.tsx";
import { SidePanel } from "../../parts/side-panel.tsx";
import { Loaded } from "../../parts/states.tsx";
import { AgentLink } from "./agent-link.tsx";
import { Estimate, Interval } from "./estimate.tsx";
import { savingReads } from "./saving-words.ts";
import { score } from "./score.ts";
import { RequestTag, VerdictTag } from "./verdict-tag.tsx";
import { isUnfinished, Pairs } from "./verification.tsx";
import { modeTitles } from "./verification-words.ts";

type Request = Output<"verify.requests.get">;
type Verdict = NonNullable<Request["verdict"]>;

export function VerificationPanel() {
  const id = useParams({ strict: false, select: ({ requestId }) => requestId ?? "" });
  const navigate = useNavigate();
  const query = useOperation("verify.requests.get", { id }, { isUnfinished });
  return (
    <SidePanel
      title="Verification"
      actions={<CopyButton text={id} label="Copy the id" />}
      onClose={() => void navigate({ to: "/savings/verification" })}
    >
      <Loaded query={query}>{request => <RequestDetails request={request} />}</Loaded>
    </SidePanel>
  );
}

function RequestDetails({ request }: { readonly request: Request }) {
  const { verdict, progress } = request;
  const trials = useOperation("loop_views.trials", { limit: 500 });
  const policies = useOperation("verify.policies.list", {}, { isLive: false });
  const trial = trials.data?.trials.find(({ id }) => id === request.trial_id);
  const policy = policies.data?.policies.find(({ id }) => id === request.policy_id);
  const margin = trial?.margin.value ?? null;
  return (
    <>
      <p className="panel-lead">
        {verdict === null ? <RequestTag request={request} /> : <VerdictTag verdict={verdict} />}
      </p>
      <p className="verification-switch">
        <Name name={request.prod_model} /> to <Name name={request.candidate_model} />
      </p>
      <Pairs progress={progress} />
      <section className="panel-part" aria-labelledby="score-title">
        <h3 id="score-title">Mean score</h3>
        <Interval
          label="Mean score"
          value={progress.score.value}
          low={progress.score.ci_low}
          high={progress.score.ci_high}
          from={-1}
          to={1}
          format={score}
          {...(margin === null ? {} : { mark: { at: -margin, label: `margin ${-margin}` } })}
          note={
            progress.score.value === null ? (
              "No pairs graded yet."
            ) : (
              <>
                <Estimate of={progress.score} format={score} />; -1 is clearly worse, +1 clearly better.
                {margin !== null && ` It holds once the whole interval is above -${margin}.`}
              </>
            )
          }
        />
      </section>
      {verdict !== null && <VerdictDetails verdict={verdict} />}
      <CancelButton request={request} />
      <section className="panel-part" aria-labelledby="request-title">
        <h3 id="request-title">Details</h3>
        <Details>
          <Detail title="Agent">
            <AgentLink id={request.agent_id} />
          </Detail>
          <Detail title="Judge">
            {request.judge_model === null ? null : <Name name={request.judge_model} />}
          </Detail>
          <Detail title="Policy">{policy === undefined ? null : <Name name={policy.name} />}</Detail>
          <Detail title="Evidence">{modeTitles[request.evidence_mode]}</Detail>
          <Detail title="Spent">
            <CostSum microcents={progress.spent_microcents} unpricedCalls={progress.unpriced_calls} /> of at
            most <Money microcents={progress.max_spend_microcents} />
          </Detail>
          <Detail title="Controls">{progress.controls}</Detail>
          <Detail title="Expected end">
            {progress.expected_end === null ? null : <Moment at={progress.expected_end} as="full" />}
          </Detail>
          <Detail title="Began">
            <Moment at={request.created_at} as="full" />
          </Detail>
          <Detail title="Ended">
            {request.ended_at === null ? null : <Moment at={request.ended_at} as="full" />}
          </Detail>
          <Detail title="Plan hash">{trial === undefined ? null : <code>{trial.plan_hash}</code>}</Detail>
        </Details>
        {trial !== undefined && (
          <details className="savings-more">
            <summary>The plan, as it was registered before the first pair</summary>
            <pre className="verification-plan">{readable(trial.plan)}</pre>
          </details>
        )}
      </section>
    </>
  );
}

const readable = (json: string) => JSON.stringify(JSON.parse(json), null, 2);

const number = (value: number) => value.toLocaleString("en-US");

function VerdictDetails({ verdict }: { readonly verdict: Verdict }) {
  const { pairs, guards, savings, non_inferiority: test } = verdict;
  const money = (value: number) => dollars(Math.round(value));
  const passed = (passes: boolean | null) => (passes === null ? "not measured" : passes ? "passes" : "fails");
  return (
    <section className="panel-part" aria-labelledby="verdict-title">
      <h3 id="verdict-title">Verdict</h3>
      <Details>
        <Detail title="Pairs">
          <Estimate of={pairs.compared} format={number} />
        </Detail>
        <Detail title="Better, equal, worse">
          <Estimate of={pairs.wins} format={number} />, <Estimate of={pairs.ties} format={number} />,{" "}
          <Estimate of={pairs.losses} format={number} />
        </Detail>
        <Detail title="Saves per call">
          <Estimate of={savings.per_call_microcents} format={money} />
        </Detail>
        <Detail title="Saves per month">
          <Estimate of={savings.per_month_microcents} format={money} />
        </Detail>
        <Detail title="Share of the cost">
          <Estimate of={savings.ratio} format={percent} />
        </Detail>
        <Detail title="Failed calls">
          {passed(guards.error_rate.passes)}: <Estimate of={guards.error_rate.production} format={percent} />,
          candidate <Estimate of={guards.error_rate.candidate} format={percent} />
        </Detail>
        <Detail title="95th percentile">
          {passed(guards.latency_p95_ms.passes)}:{" "}
          <Estimate of={guards.latency_p95_ms.production} format={duration} />, candidate{" "}
          <Estimate of={guards.latency_p95_ms.candidate} format={duration} />
        </Detail>
        <Detail title="Judge’s bias">
          <Estimate of={test.judge_bias} format={score} />
        </Detail>
        <Detail title="Concluded">
          <Moment at={verdict.concluded_at} as="full" />
        </Detail>
        <Detail title="Valid until">
          <Moment at={verdict.expires_at} as="full" />
        </Detail>
        <Detail title="No longer valid">{verdict.invalid_reason}</Detail>
      </Details>
    </section>
  );
}

function CancelButton({ request }: { readonly request: Request }) {
  const { can } = useRole();
  const [isAsked, setIsAsked] = useState(false);
  const cancel = useChange("verify.requests.cancel", {
    refreshes: savingReads,
    done: "Verification ended; nothing was charged",
    onDone: () => setIsAsked(false),
  });
  if (request.ended_at !== null || !can("verify.requests.cancel")) return null;
  return (
    <p className="panel-part">
      <Button kind="danger" onClick={() => setIsAsked(true)}>
        End it
      </Button>
      {isAsked && (
        <ConfirmDialog
          title="End the verification without a verdict?"
          action="End it"
          isDanger
          isBusy={cancel.isPending}
          onClose={() => setIsAsked(false)}
          onConfirm={() => cancel.mutate({ id: request.id })}
        >
          <p>Its pairs are no longer compared. Nothing is charged.</p>
        </ConfirmDialog>
      )}
    </p>
  );
}

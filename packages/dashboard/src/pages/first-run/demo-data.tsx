import { useRole, useSession } from "../../data/session.tsx";
import { type Output, useChange, useOperation } from "../../data/use-operation.ts";
import { useView } from "../../data/view.tsx";
import { percent } from "../../format/counts.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Meter } from "../../parts/meter.tsx";
import { Loaded } from "../../parts/states.tsx";

type Demo = Output<"demo.get">;

const steps: Readonly<Record<NonNullable<NonNullable<Demo["progress"]>["step"]>, string>> = {
  history: "30 days of calls",
  outcomes: "what they were worth",
  runaway_loop: "an agent in a loop, and the budget that stops it",
  experiment: "an experiment",
  verifications: "verifications",
  conclusions: "suggestions",
};

export const useDemo = ({ enabled = true } = {}) =>
  useOperation("demo.get", {}, { enabled, isUnfinished: ({ status }) => status === "adding" });

/** Whether the organization that is shown is one of sample data. */
export function useIsInDemo(): boolean {
  const { can } = useRole();
  const { organization } = useSession();
  return useDemo({ enabled: can("demo.get") }).data?.organization?.id === organization.id;
}

/** Sample data in an organization of its own: one click adds it, one removes it. */
export function DemoData() {
  const demo = useDemo();
  return (
    <Card title="Sample data" note="In a separate organization, with test traffic only">
      <Loaded query={demo}>{shown => <DemoState demo={shown} />}</Loaded>
    </Card>
  );
}

export function DemoState({ demo }: { readonly demo: Demo }) {
  const { can } = useRole();
  const { change } = useView();
  const refreshes = ["demo.get", "account.get"] as const;
  const add = useChange("demo.add", { refreshes, done: "Adding the sample data" });
  const remove = useChange("demo.remove", { refreshes, done: "Sample data removed" });
  const { status, progress, error } = demo;
  const isInside = useIsInDemo();
  const share =
    progress === null || progress.total_calls === 0 ? null : progress.done_calls / progress.total_calls;
  return (
    <div className="first-run-demo" data-demo={status}>
      {status === "none" && (
        <p>30 days of calls from several agents, with budgets, alerts, an experiment and savings.</p>
      )}
      {status === "adding" && (
        <>
          <p role="status">
            Adding{progress?.step ? `: ${steps[progress.step]}` : ""}…{" "}
            {share !== null && percent(Math.min(1, share))}
          </p>
          {share !== null && <Meter label="Sample data" text={percent(share)} share={share} />}
        </>
      )}
      {status === "ready" && (
        <p>
          {isInside
            ? "This is the organization with sample data. It is removed in the settings of the one that added it."
            : "The organization with sample data is ready."}
        </p>
      )}
      {status === "failed" && <p className="field-problem">It could not be added: {error}</p>}
      <div className="card-actions">
        {status === "none" && can("demo.add") && (
          <Button kind="primary" isBusy={add.isPending} onClick={() => add.mutate({})}>
            Add sample data
          </Button>
        )}
        {demo.organization !== null && status === "ready" && !isInside && (
          <Button
            kind="primary"
            onClick={() => change({ org: demo.organization?.id, mode: "test", range: "30d" })}
          >
            Open it
          </Button>
        )}
        {status !== "none" && can("demo.remove") && !isInside && (
          <Button isBusy={remove.isPending} onClick={() => remove.mutate({})}>
            Remove it
          </Button>
        )}
      </div>
    </div>
  );
}

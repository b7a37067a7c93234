import { useState } from "react";
import { useRole } from "../../data/session.tsx";
import { type Output, useChange } from "../../data/use-operation.ts";
import { percent, plural } from "../../format/counts.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Tag } from "../../parts/tag.tsx";
import { metricTitles } from "./experiment-form.tsx";
import { savingReads } from "./saving-words.ts";

type Experiment = Output<"experiments.list">["experiments"][number];

interface ExperimentProps {
  readonly experiment: Experiment;
}

const statusKinds = { running: "accent", paused: "warning", completed: "good", cancelled: "plain" } as const;

/** Shares of successful outcomes, if the new model's is lower. */
function fewerSuccesses({ control, treatment }: Experiment["results"]) {
  const [own, changed] = [control.quality_score?.value, treatment.quality_score?.value];
  return own !== undefined && changed !== undefined && changed < own ? { own, changed } : null;
}

export function ExperimentTags({ experiment }: ExperimentProps) {
  const { status, winner, promoted, primary_metric, results } = experiment;
  return (
    <>
      <Tag kind={statusKinds[status]}>{status}</Tag>{" "}
      {winner !== null && (
        <Tag kind={winner === "treatment" && fewerSuccesses(results) !== null ? "warning" : "good"}>
          {winner === "treatment" ? "new" : "own"} model wins on {metricTitles[primary_metric].toLowerCase()}
        </Tag>
      )}{" "}
      {promoted && <Tag kind="good">promoted</Tag>}
    </>
  );
}

/** What a winner on cost or duration does not say. */
export function FewerSuccesses({ experiment }: ExperimentProps) {
  const fewer = fewerSuccesses(experiment.results);
  if (fewer === null) return null;
  return (
    <p className="experiment-guard">
      Fewer outcomes are successful with the new model: {percent(fewer.changed)} against {percent(fewer.own)}.
    </p>
  );
}

/** What may be done with it now. Its end is asked about first. */
export function ExperimentActions({ experiment }: ExperimentProps) {
  const { can } = useRole();
  const [asked, setAsked] = useState<"stop" | "promote" | null>(null);
  const { id, status, winner } = experiment;
  const pause = useChange("experiments.pause", { refreshes: savingReads, done: "Experiment paused" });
  const resume = useChange("experiments.resume", { refreshes: savingReads, done: "Experiment resumed" });
  const stop = useChange("experiments.stop", {
    refreshes: savingReads,
    done: ({ message }) => message,
    onDone: () => setAsked(null),
  });
  if (status !== "running" && status !== "paused") return null;
  return (
    <div className="card-actions">
      {status === "running" && can("experiments.pause") && (
        <Button icon="pause" isBusy={pause.isPending} onClick={() => pause.mutate({ id })}>
          Pause
        </Button>
      )}
      {status === "paused" && can("experiments.resume") && (
        <Button icon="play" isBusy={resume.isPending} onClick={() => resume.mutate({ id })}>
          Resume
        </Button>
      )}
      {can("experiments.stop") && <Button onClick={() => setAsked("stop")}>Stop</Button>}
      {winner === "treatment" && can("experiments.stop") && (
        <Button kind="primary" onClick={() => setAsked("promote")}>
          Promote
        </Button>
      )}
      {asked !== null && (
        <ConfirmDialog
          title={asked === "promote" ? "Promote the new model?" : "Stop the experiment?"}
          action={asked === "promote" ? "Promote" : "Stop"}
          isBusy={stop.isPending}
          onClose={() => setAsked(null)}
          onConfirm={() => stop.mutate({ id, promote_winner: asked === "promote" })}
        >
          <p>
            {asked === "promote"
              ? `The experiment ends, and all calls of the agent go to ${experiment.treatment_model}. It can be undone.`
              : `It ends with ${plural(experiment.control_samples + experiment.treatment_samples, "call")}; the results are kept, and all calls go to the agent’s own model.`}
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}

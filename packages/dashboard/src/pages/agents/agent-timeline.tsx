import type { ReactNode } from "react";
import { useRole } from "../../data/session.tsx";
import { type Output, useChange, useOperation } from "../../data/use-operation.ts";
import { count } from "../../format/counts.ts";
import { Actor } from "../../parts/actor.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Name } from "../../parts/name.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { Tag } from "../../parts/tag.tsx";

type Optimization = Output<"agents.optimizations.list">["optimizations"][number];
type Experiment = Output<"experiments.list">["experiments"][number];

interface Entry {
  readonly key: string;
  readonly at: string;
  readonly content: ReactNode;
}

/** Changes of the agent, newest first: optimizations and experiments. */
export function AgentTimeline({ agentId }: { readonly agentId: string }) {
  const optimizations = useOperation("agents.optimizations.list", { id: agentId });
  const experiments = useOperation("experiments.list", { agent_id: agentId });
  return (
    <Card title="Changes" note="Optimizations and experiments" className="wide">
      <Loaded query={optimizations}>
        {({ optimizations: applied }) => {
          const entries = [
            ...applied.flatMap(entriesOfOptimization),
            ...(experiments.data?.experiments.flatMap(entriesOfExperiment) ?? []),
          ].toSorted((a, b) => (a.at < b.at ? 1 : -1));
          return entries.length === 0 ? (
            <Empty title="No changes yet" />
          ) : (
            <ol className="agent-changes">
              {entries.map(({ key, at, content }) => (
                <li key={key}>
                  <Moment at={at} />
                  <div>{content}</div>
                </li>
              ))}
            </ol>
          );
        }}
      </Loaded>
    </Card>
  );
}

function entriesOfOptimization(optimization: Optimization): Entry[] {
  const { id, applied_at, undone_at } = optimization;
  const applied = { key: `${id} applied`, at: applied_at, content: <Applied optimization={optimization} /> };
  if (undone_at === null) return [applied];
  const undone = <p>{whatItDoes(optimization)}: undone</p>;
  return [{ key: `${id} undone`, at: undone_at, content: undone }, applied];
}

function entriesOfExperiment({ id, name, created_at, ended_at, end_reason, promoted }: Experiment): Entry[] {
  const title = <Name name={name} maxLength={60} />;
  const began = { key: `${id} began`, at: created_at, content: <p>Experiment {title} began</p> };
  if (ended_at === null) return [began];
  const how = promoted
    ? "ended, and its model was promoted"
    : end_reason === "duration"
      ? "ended"
      : "was stopped";
  return [
    {
      key: `${id} ended`,
      at: ended_at,
      content: (
        <p>
          Experiment {title} {how}
        </p>
      ),
    },
    began,
  ];
}

function Applied({ optimization }: { readonly optimization: Optimization }) {
  const { can } = useRole();
  const { id, agent_id, undone_at, applied_by, source } = optimization;
  const undo = useChange("agents.optimizations.undo", {
    refreshes: ["agents.optimizations.list", "optimizations.summary", "suggestions.list"],
    done: "Undone; takes effect within a second",
  });
  return (
    <div className="row-line" data-optimization={id}>
      <div>
        <p>
          {whatItDoes(optimization)} {undone_at === null && <Tag kind="good">in force</Tag>}
        </p>
        <p className="muted breakable">
          By <Actor name={applied_by} />, because of {sourceOf(source)}
        </p>
      </div>
      {undone_at === null && can("agents.optimizations.undo") && (
        <Button isBusy={undo.isPending} onClick={() => undo.mutate({ id: agent_id, optimization_id: id })}>
          Undo
        </Button>
      )}
    </div>
  );
}

function sourceOf(source: string): string {
  const [kind = ""] = source.split(":");
  const known: Readonly<Record<string, string>> = {
    suggestion: "a suggestion",
    experiment: "an experiment",
    verdict: "a verified verdict",
  };
  return known[kind] ?? kind;
}

function whatItDoes({ optimization_type, payload }: Optimization): ReactNode {
  switch (optimization_type) {
    case "model_switch":
      return (
        <>
          Calls go to <Name name={String(payload.model ?? "another model")} maxLength={60} />
        </>
      );
    case "token_guardrails":
      return typeof payload.max_output_tokens === "number"
        ? `At most ${count(payload.max_output_tokens)} output tokens`
        : "A limit on output tokens";
    case "prompt_caching":
      return "Prompts are cached";
    default:
      return optimization_type satisfies never;
  }
}

import { useAgentName } from "../../data/use-agent-name.ts";
import type { Output } from "../../data/use-operation.ts";
import { Name } from "../../parts/name.tsx";

export type Budget = Output<"budgets.list">["budgets"][number];

/** Whose calls a budget counts. */
export type BudgetSubject =
  | { readonly kind: "organization" }
  | { readonly kind: "agent"; readonly id: string };

export function subjectOf({ agent_id }: Pick<Budget, "agent_id">): BudgetSubject {
  return agent_id === undefined ? { kind: "organization" } : { kind: "agent", id: agent_id };
}

export function SubjectName({ subject }: { readonly subject: BudgetSubject }) {
  const agentName = useAgentName(subject.kind === "agent" ? subject.id : null);
  switch (subject.kind) {
    case "organization":
      return <>Whole organization</>;
    case "agent":
      return agentName === null ? <>An agent</> : <Name name={agentName} maxLength={40} />;
    default:
      return subject satisfies never;
  }
}

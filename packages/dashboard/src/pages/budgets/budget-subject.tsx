import { useAgentName } from "../../data/use-agent-name.ts";
import { type Output, useOperation } from "../../data/use-operation.ts";
import type { Filters } from "../../data/view-search.ts";
import { Name } from "../../parts/name.tsx";

export type Budget = Output<"budgets.list">["budgets"][number];

/** The calls that a budget counts. */
export type BudgetSubject =
  | { readonly kind: "organization" }
  | { readonly kind: "agent" | "key" | "customer"; readonly id: string };

/** The same as fields of an operation. */
export function subjectFields(subject: BudgetSubject) {
  switch (subject.kind) {
    case "organization":
      return {};
    case "agent":
      return { agent_id: subject.id };
    case "key":
      return { key_id: subject.id };
    case "customer":
      return { customer_id: subject.id };
    default:
      return subject satisfies never;
  }
}

export function subjectOf({ agent_id, key_id, customer_id }: Budget): BudgetSubject {
  if (agent_id !== undefined) return { kind: "agent", id: agent_id };
  if (key_id !== undefined) return { kind: "key", id: key_id };
  return customer_id === undefined ? { kind: "organization" } : { kind: "customer", id: customer_id };
}

/** The subject that the filters select; undefined: any. */
export function filteredSubject({ agent, key, customer }: Filters): BudgetSubject | undefined {
  if (agent !== undefined) return { kind: "agent", id: agent };
  if (key !== undefined) return { kind: "key", id: key };
  return customer === undefined ? undefined : { kind: "customer", id: customer };
}

export function isShown(budget: Budget, { agent, key, customer }: Filters): boolean {
  return (
    (agent === undefined || budget.agent_id === agent) &&
    (key === undefined || budget.key_id === key) &&
    (customer === undefined || budget.customer_id === customer)
  );
}

export function SubjectName({ subject }: { readonly subject: BudgetSubject }) {
  const agentName = useAgentName(subject.kind === "agent" ? subject.id : null);
  const keys = useOperation("keys.list", { limit: 500 }, { enabled: subject.kind === "key", isLive: false });
  switch (subject.kind) {
    case "organization":
      return <>Whole organization</>;
    case "agent":
      return agentName === null ? <>An agent</> : <Name name={agentName} maxLength={40} />;
    case "key": {
      const key = keys.data?.keys.find(({ id }) => id === subject.id);
      return (
        <>
          API key{" "}
          {key !== undefined &&
            (key.name === null ? `…${key.last_four}` : <Name name={key.name} maxLength={40} />)}
        </>
      );
    }
    case "customer":
      return (
        <>
          Customer <Name name={subject.id} maxLength={40} />
        </>
      );
    default:
      return subject satisfies never;
  }
}

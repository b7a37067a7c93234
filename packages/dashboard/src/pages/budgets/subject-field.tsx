import { useScope } from "../../data/scope.tsx";
import { useOperation } from "../../data/use-operation.ts";
import { plainName } from "../../format/name.ts";
import { AgentField } from "../../parts/agent-field.tsx";
import { ChoiceField, TextField } from "../../parts/field.tsx";
import type { BudgetSubject } from "./budget-subject.tsx";

const kindTitles: Readonly<Record<BudgetSubject["kind"], string>> = {
  organization: "The whole organization",
  agent: "One agent",
  key: "One API key",
  customer: "One customer",
};
const kinds = ["organization", "agent", "key", "customer"] as const;

interface SubjectFieldProps {
  readonly value: BudgetSubject;
  readonly problem: string | undefined;
  readonly onChange: (subject: BudgetSubject) => void;
}

/** Choice of the calls that a new budget counts. */
export function SubjectField({ value, problem, onChange }: SubjectFieldProps) {
  return (
    <>
      <ChoiceField
        label="For"
        value={value.kind}
        options={kinds.map(kind => ({ value: kind, label: kindTitles[kind] }))}
        onChange={kind => onChange(kind === "organization" ? { kind } : { kind, id: "" })}
      />
      {value.kind === "agent" && (
        <AgentField
          label="Agent"
          value={value.id}
          problem={problem}
          onChange={id => onChange({ kind: "agent", id })}
        />
      )}
      {value.kind === "key" && (
        <KeyField value={value.id} problem={problem} onChange={id => onChange({ kind: "key", id })} />
      )}
      {value.kind === "customer" && (
        <TextField
          label="Customer"
          help="The id that calls send for it; there need not be any calls yet."
          autoComplete="off"
          maxLength={256}
          value={value.id}
          problem={problem}
          onChange={id => onChange({ kind: "customer", id })}
        />
      )}
    </>
  );
}

interface KeyFieldProps {
  readonly value: string;
  readonly problem: string | undefined;
  readonly onChange: (id: string) => void;
}

function KeyField({ value, problem, onChange }: KeyFieldProps) {
  const { mode } = useScope();
  const query = useOperation("keys.list", { limit: 500 }, { isLive: false });
  const keys = (query.data?.keys ?? []).filter(key => key.mode === mode && key.revoked_at === null);
  return (
    <ChoiceField
      label="API key"
      help={mode === "live" ? "Keys for live traffic." : "Keys for test traffic."}
      problem={problem}
      value={value}
      options={[
        { value: "", label: "Choose a key" },
        ...keys.map(({ id, name, last_four }) => ({
          value: id,
          label: `${name === null ? "unnamed" : plainName(name)} …${last_four}`,
        })),
      ]}
      onChange={onChange}
    />
  );
}

import type { ReactNode } from "react";
import { useLiveAgents } from "../data/live.tsx";
import { useAgentName } from "../data/use-agent-name.ts";
import { shortName } from "../format/name.ts";
import { ChoiceField } from "./field.tsx";

interface AgentFieldProps {
  readonly label: string;
  readonly help?: ReactNode;
  readonly problem?: string | undefined;
  /** An agent's id; "": none is chosen. */
  readonly value: string;
  /** Meaning of ""; absent: an agent must be chosen. */
  readonly none?: string;
  readonly onChange: (agentId: string) => void;
}

/** One of the agents, or of the 500 most recent callers of a larger fleet. */
export function AgentField({ label, help, problem, value, none, onChange }: AgentFieldProps) {
  const agents = useLiveAgents();
  const chosenName = useAgentName(value === "" ? null : value);
  const listed = [...agents.values()]
    .filter(({ status }) => status !== "archived")
    .map(({ id, name }) => ({ value: id, label: shortName(name, 60) }))
    .sort((a, b) => a.label.localeCompare(b.label, "en", { numeric: true }));
  const isListed = value === "" || listed.some(option => option.value === value);
  return (
    <ChoiceField
      label={label}
      help={help}
      problem={problem}
      value={value}
      options={[
        { value: "", label: none ?? "Choose an agent" },
        ...(isListed ? [] : [{ value, label: shortName(chosenName ?? value, 60) }]),
        ...listed,
      ]}
      onChange={onChange}
    />
  );
}

import { Link } from "@tanstack/react-router";
import { useAgentName } from "../../data/use-agent-name.ts";
import { Name } from "../../parts/name.tsx";

/** An agent, or everything. */
export function AgentLink({ id }: { readonly id: string | null }) {
  const name = useAgentName(id);
  if (id === null) return <>Whole organization</>;
  return (
    <Link to="/agents/$agentId" params={{ agentId: id }}>
      {name === null ? "An agent" : <Name name={name} maxLength={40} />}
    </Link>
  );
}

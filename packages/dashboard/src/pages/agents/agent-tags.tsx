import type { AgentStatus } from "@tollgate/core/agents/status";
import { Tag } from "../../parts/tag.tsx";

const kinds = { active: "good", idle: "plain", error: "bad", archived: "plain" } as const;
const titles: Readonly<Record<AgentStatus, string>> = {
  active: "Called within the last 24 hours",
  idle: "No call within the last 24 hours",
  error: "At least half of the calls in the last hour failed",
  archived: "Hidden from reports; a call still works",
};

interface TaggedAgent {
  readonly status: AgentStatus;
  readonly paused: boolean;
}

export function AgentTags({ agent: { status, paused } }: { readonly agent: TaggedAgent }) {
  return (
    <>
      <Tag kind={kinds[status]} title={titles[status]}>
        {status === "error" ? "failing this hour" : status}
      </Tag>{" "}
      {paused && (
        <Tag kind="warning" title="The gateway refuses its calls">
          paused
        </Tag>
      )}
    </>
  );
}

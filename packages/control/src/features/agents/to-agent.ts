import { agentStatus } from "@tollgate/core/agents/status";
import type { agentResource } from "@tollgate/core/contract/agents";
import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { AgentRecord } from "@tollgate/storage/read-model/queries/agent-queries";
import type { z } from "zod";
import type { ScopedControl } from "../../kernel/context.ts";
import { readMetadata } from "../../kernel/read-metadata.ts";
import type { AgentSettings } from "./settings.ts";

export type Agent = z.infer<typeof agentResource>;

/** The ledger's agent combined with its settings. */
export function toAgent(
  context: ScopedControl,
  record: AgentRecord,
  settings: AgentSettings | undefined,
): Agent {
  const metadata = readMetadata(settings?.metadata ?? "{}");
  const status = agentStatus(
    {
      isArchived: settings !== undefined && settings.archived_at !== null,
      lastCallAt: record.last_call_at,
      recentCalls: record.recent_calls,
      recentErrors: record.recent_errors,
    },
    context.now(),
  );
  return {
    id: record.id,
    name: settings?.name ?? record.agent_key,
    agent_key: record.agent_key,
    organization_id: context.organization.id,
    created_at: toIsoTime(record.first_seen_at),
    updated_at: toIsoTime(settings?.updated_at ?? record.first_seen_at),
    metadata,
    status,
    paused: settings !== undefined && settings.paused_at !== null,
    breaker_enabled: settings?.breaker_off !== 1,
    category: typeof metadata.category === "string" ? metadata.category : null,
    last_call_at: record.last_call_at === null ? null : toIsoTime(record.last_call_at),
  };
}

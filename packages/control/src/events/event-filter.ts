import { fail } from "@tollgate/core/errors";
import type { EventStatus } from "@tollgate/core/event";
import { historyStart } from "@tollgate/core/limits/history-window";
import type { EventFilter } from "@tollgate/storage/read-model/queries";
import { findAgent } from "../agents/find-agent.ts";
import type { Context } from "../kernel/context.ts";

interface AskedEvents {
  readonly agent_id?: string | undefined;
  readonly agent_key?: string | undefined;
  readonly session_id?: string | undefined;
  readonly customer_id?: string | undefined;
  readonly key_id?: string | undefined;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly status?: EventStatus | undefined;
  readonly config_version?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** The requested filter, within the tier's history. */
export async function eventFilter(context: Context, asked: AskedEvents): Promise<EventFilter> {
  if (asked.agent_id !== undefined && asked.agent_key !== undefined) {
    throw fail("invalid_request", "agent_id and agent_key name the same thing; send one of them");
  }
  if (asked.from !== undefined && asked.to !== undefined && asked.from > asked.to) {
    throw fail("invalid_request", "from is later than to");
  }
  const agentKey =
    asked.agent_id === undefined ? asked.agent_key : (await findAgent(context, asked.agent_id)).agent_key;
  const start = historyStart(context.organization.tier, context.now());
  return {
    from: Math.max(asked.from ?? start, start),
    ...(asked.to === undefined ? {} : { to: asked.to }),
    ...(agentKey === undefined ? {} : { agentKey }),
    ...(asked.session_id === undefined ? {} : { sessionId: asked.session_id }),
    ...(asked.customer_id === undefined ? {} : { customerId: asked.customer_id }),
    ...(asked.key_id === undefined ? {} : { keyId: asked.key_id }),
    ...(asked.config_version === undefined ? {} : { configVersion: asked.config_version }),
    ...(asked.model === undefined ? {} : { model: asked.model }),
    ...(asked.provider === undefined ? {} : { provider: asked.provider }),
    ...(asked.status === undefined ? {} : { status: asked.status }),
  };
}

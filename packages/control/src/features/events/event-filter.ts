import type { EventStatus } from "@tollgate/core/event";
import type { EventFilter } from "@tollgate/storage/read-model/queries/event-queries";
import type { Context } from "../../kernel/context.ts";
import { listWindow } from "../../kernel/list-window.ts";
import { agentKeyOf } from "../agents/agent-key-of.ts";

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
  const agentKey = await agentKeyOf(context, asked);
  return {
    ...listWindow(context, asked),
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

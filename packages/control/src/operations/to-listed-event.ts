import type { eventResource } from "@tollgate/core/contract/event-resource";
import { toWireEvent } from "@tollgate/core/event";
import type { ListedEvent } from "@tollgate/storage/read-model/queries";
import type { z } from "zod";
import type { Context } from "../context.ts";

export type WireEvent = z.input<typeof eventResource>;

/** Public ids of the organization's agents, by what calls name them by. */
export async function agentIds(context: Context): Promise<ReadonlyMap<string, string>> {
  const agents = await context.readModel.agents(context.scope, context.now());
  return new Map(agents.map(agent => [agent.agent_key, agent.id]));
}

export function toListedEvent(listed: ListedEvent, ids: ReadonlyMap<string, string>): WireEvent {
  return {
    ...toWireEvent(listed.event),
    agent_id: ids.get(listed.event.agent_key) ?? null,
    adjustment_microcents: listed.adjustment_microcents,
    is_unpriced: listed.is_unpriced,
  };
}

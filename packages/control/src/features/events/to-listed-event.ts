import type { eventResource } from "@tollgate/core/contract/events";
import { toWireEvent } from "@tollgate/core/event";
import type { ListedEvent } from "@tollgate/storage/read-model/queries/event-queries";
import type { z } from "zod";
import type { Context } from "../../kernel/context.ts";

export type WireEvent = z.input<typeof eventResource>;

/** Public ids of these events' agents, by agent key. */
export async function agentIds(
  { readModel, scope }: Context,
  listed: readonly ListedEvent[],
): Promise<ReadonlyMap<string, string>> {
  return await readModel.agentIds(
    scope,
    listed.map(({ event }) => event.agent_key),
  );
}

export function toListedEvent(listed: ListedEvent, ids: ReadonlyMap<string, string>): WireEvent {
  return {
    ...toWireEvent(listed.event),
    agent_id: ids.get(listed.event.agent_key) ?? null,
    adjustment_microcents: listed.adjustment_microcents,
    is_unpriced: listed.is_unpriced,
  };
}

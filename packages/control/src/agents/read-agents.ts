import type { AgentRecord } from "@tollgate/storage/read-model/queries";
import type { Context } from "../kernel/context.ts";
import { withinBytes } from "../kernel/within-bytes.ts";
import { agentSettingsOf } from "./settings.ts";
import { type Agent, toAgent } from "./to-agent.ts";

/** Limit on the user text of all agents in one answer. */
const MAX_METADATA_BYTES = 400_000;

/** These agents in the given order; fewer if their user text would exceed the limit. */
export async function listAgents(context: Context, records: readonly AgentRecord[]): Promise<Agent[]> {
  const settings = await agentSettingsOf(
    context,
    records.map(({ id }) => id),
  );
  const shown = withinBytes(records, ({ id }) => settings.get(id)?.metadata.length ?? 0, MAX_METADATA_BYTES);
  return shown.map(record => toAgent(context, record, settings.get(record.id)));
}

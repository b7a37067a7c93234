import type { AgentRecord } from "@tollgate/storage/read-model/queries";
import type { Context } from "../kernel/context.ts";
import { withinBytes } from "../kernel/within-bytes.ts";
import { agentSettingsOf } from "./settings.ts";
import { type Agent, toAgent } from "./to-agent.ts";

/** Of what people keep with agents, in one answer. */
const MAX_METADATA_BYTES = 400_000;

/** These agents, in their order, as they are shown; fewer where what people keep with them would be too much. */
export async function listAgents(context: Context, records: readonly AgentRecord[]): Promise<Agent[]> {
  const settings = await agentSettingsOf(
    context,
    records.map(({ id }) => id),
  );
  const shown = withinBytes(records, ({ id }) => settings.get(id)?.metadata.length ?? 0, MAX_METADATA_BYTES);
  return shown.map(record => toAgent(context, record, settings.get(record.id)));
}

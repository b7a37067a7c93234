import type { AgentRecord } from "@tollgate/storage/read-model/queries/agent-queries";
import type { Context } from "../../kernel/context.ts";
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

/** The first rows that fit, at least one. Rows can hold user text, so a row count alone bounds nothing. */
function withinBytes<Row>(
  rows: readonly Row[],
  bytesOf: (row: Row) => number,
  maxBytes: number,
): readonly Row[] {
  let bytes = 0;
  const end = rows.findIndex((row, index) => {
    bytes += bytesOf(row);
    return index > 0 && bytes > maxBytes;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

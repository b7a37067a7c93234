import type { ControlDb } from "@tollgate/storage/database/schema";
import { readMetadata } from "../../kernel/read-metadata.ts";
import type { RequestRow } from "./request-row.ts";

/**
 * Whether the agent was switched to another model since the request, so that it no longer calls the production model. A
 * request for all agents that call the model continues with those that still do.
 */
export async function switchedSince(
  db: ControlDb,
  request: Pick<
    RequestRow,
    "org_id" | "mode" | "agent_id" | "prod_provider" | "prod_model" | "created_at" | "evidence_mode"
  >,
): Promise<boolean> {
  const { org_id, mode, agent_id, prod_provider, prod_model, created_at } = request;
  // An experiment's evidence was complete before its treatment was promoted; captured pairs come from the sender.
  if (agent_id === null || request.evidence_mode !== "shadow") return false;
  const switches = await db
    .selectFrom("optimizations")
    .select("payload")
    .where("org_id", "=", org_id)
    .where("mode", "=", mode)
    .where("agent_id", "=", agent_id)
    .where("optimization_type", "=", "model_switch")
    .where("applied_at", ">=", created_at)
    .execute();
  return switches.some(({ payload }) => {
    const { model } = readMetadata(payload);
    return model !== prod_model && model !== `${prod_provider}/${prod_model}`;
  });
}

import { toIsoTime } from "@tollgate/core/contract/fields/iso-time";
import type { refusalOperations } from "@tollgate/core/contract/refusals";
import { errorKinds, toErrorCode } from "@tollgate/core/errors";
import type { ListedRefusal } from "@tollgate/storage/ledger/read-refusals";
import type { z } from "zod";

type WireRefusal = z.input<(typeof refusalOperations)["refusals.list"]["output"]>["refusals"][number];

export function toRefusal(row: ListedRefusal, agentIds: ReadonlyMap<string, string>): WireRefusal {
  const reason = toErrorCode(row.reason);
  return {
    created_at: toIsoTime(row.created_at),
    agent_id: row.agent_key === null ? null : (agentIds.get(row.agent_key) ?? null),
    agent_key: row.agent_key,
    key_id: row.key_id,
    reason,
    http_status: errorKinds[reason].status,
    limit: row.limit_value,
    budget_id: row.budget_id,
  };
}

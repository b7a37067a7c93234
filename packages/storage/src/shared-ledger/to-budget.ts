import type { Budget } from "@tollgate/core/budgets/budget";
import { microcents } from "@tollgate/core/money/money";
import { fromRow } from "../database/from-row.ts";
import type { StoredRow } from "../database/schema.ts";

export function toBudget(stored: StoredRow<"budgets">): Budget {
  const row = fromRow("budgets", stored);
  return {
    id: row.id,
    orgId: row.org_id,
    mode: row.mode,
    agentKey: row.agent_key,
    keyId: row.key_id,
    customerId: row.customer_id,
    verificationId: null,
    period: row.period,
    limitMicrocents: microcents(row.limit_microcents),
    enforcement: row.enforcement_mode,
    isStrict: row.strict === 1,
    allowsUnpriced: row.allow_unpriced === 1,
    isPaused: row.status === "paused",
    sinceMs: row.since,
    blockingSinceMs: null,
  };
}

import { sql } from "kysely";
import type { ControlDb } from "../database/schema.ts";
import type { ListedRefusal, RefusalSource } from "../ledger/read-refusals.ts";

const groups = {
  reason: sql<string>`reason`,
  agent: sql<string>`agent_key`,
  key: sql<string>`key_id`,
  day: sql<string>`CAST(hour - hour % 86400000 AS TEXT)`,
} as const;

/** The refused calls of all nodes, as far as they are shipped. */
export function sharedRefusals(db: ControlDb): RefusalSource {
  return {
    async list({ orgId, mode }, { agentKey, keyId, reason, budgetId, from, to }, after, limit) {
      let query = db
        .selectFrom("shared_refusals")
        .select(["id", "created_at", "key_id", "agent_key", "reason", "limit_value", "budget_id"])
        .where("org_id", "=", orgId)
        .where("mode", "=", mode);
      if (after !== null) {
        query = query.where(({ eb, and, or }) =>
          or([
            eb("created_at", "<", after.at),
            and([eb("created_at", "=", after.at), eb("id", "<", after.seq)]),
          ]),
        );
      }
      if (agentKey !== undefined) query = query.where("agent_key", "=", JSON.stringify(agentKey));
      if (keyId !== undefined) query = query.where("key_id", "=", keyId);
      if (reason !== undefined) query = query.where("reason", "=", reason);
      if (budgetId !== undefined) query = query.where("budget_id", "=", budgetId);
      if (from !== undefined) query = query.where("created_at", ">=", from);
      if (to !== undefined) query = query.where("created_at", "<", to);
      const rows = await query.orderBy("created_at", "desc").orderBy("id", "desc").limit(limit).execute();
      return rows.map((row): ListedRefusal => ({ ...row, agent_key: parsed(row.agent_key) }));
    },

    async counts({ orgId, mode }, window, by, atMost, agentKey) {
      let query = db
        .selectFrom("shared_refusal_counts")
        .select(({ fn }) => [groups[by].as("name"), fn.sum<number>("calls").as("calls")])
        .where("org_id", "=", orgId)
        .where("mode", "=", mode)
        .where("hour", ">=", window.from)
        .where("hour", "<", window.to);
      if (agentKey !== undefined) query = query.where("agent_key", "=", JSON.stringify(agentKey));
      const rows = await query
        .groupBy(sql`1`)
        .orderBy(sql`2`, "desc")
        .orderBy(sql`1`)
        .limit(Math.min(atMost, 1_000_000))
        .execute();
      return rows.map(({ name, calls }) => ({
        name: by === "agent" ? (parsed(name) ?? "") : name,
        calls: Number(calls),
      }));
    },
  };
}

function parsed(name: string | null): string | null {
  return name === null ? null : (JSON.parse(name) as string);
}

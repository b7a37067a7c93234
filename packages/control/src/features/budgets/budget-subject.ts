import { fail } from "@tollgate/core/errors";
import { CALLER_ID_RULE, isCallerId } from "@tollgate/core/wire/caller-id";
import type { Context } from "../../kernel/context.ts";
import type { BudgetRow } from "./read-budgets.ts";

/** Whose calls a budget counts; nobody: the whole organization's. */
export interface AskedSubject {
  readonly agent_id?: string | undefined;
  readonly key_id?: string | undefined;
  readonly customer_id?: string | undefined;
}

type BudgetSubject = Pick<BudgetRow, "agent_id" | "agent_key" | "key_id" | "customer_id">;

/** Agents and keys must exist; a customer may call for the first time later. */
export async function readSubject(context: Context, asked: AskedSubject): Promise<BudgetSubject> {
  refuseSeveral(asked);
  const agent = asked.agent_id === undefined ? null : await knownAgent(context, asked.agent_id);
  if (asked.key_id !== undefined) await requireKey(context, asked.key_id);
  if (asked.customer_id !== undefined && !isCallerId(asked.customer_id)) {
    throw fail("invalid_request", `customer_id ${CALLER_ID_RULE}`);
  }
  return {
    agent_id: agent?.id ?? null,
    agent_key: agent?.agent_key ?? null,
    key_id: asked.key_id ?? null,
    customer_id: asked.customer_id ?? null,
  };
}

export function refuseSeveral({ agent_id, key_id, customer_id }: AskedSubject): void {
  if ([agent_id, key_id, customer_id].filter(id => id !== undefined).length > 1) {
    throw fail("invalid_request", "a budget has one of agent_id, key_id and customer_id, or none");
  }
}

async function knownAgent(context: Context, agentId: string) {
  const agent = await context.readModel.agent(context.scope, agentId, context.now());
  if (agent === null) throw fail("invalid_request", "agent_id: there is no such agent");
  return agent;
}

/** A key of the other mode makes no call that this budget could count. */
async function requireKey({ db, scope }: Context, keyId: string): Promise<void> {
  const key = await db
    .selectFrom("api_keys")
    .select("revoked_at")
    .where("id", "=", keyId)
    .where("org_id", "=", scope.orgId)
    .where("mode", "=", scope.mode)
    .executeTakeFirst();
  if (key === undefined) throw fail("invalid_request", "key_id: there is no such key");
  if (key.revoked_at !== null) throw fail("invalid_request", "key_id: this key is revoked");
}

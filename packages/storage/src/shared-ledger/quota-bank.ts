import { HOUR_MS } from "@tollgate/core/time/durations";
import { sql } from "kysely";
import type { ControlDb, ControlTransaction } from "../database/schema.ts";
import type { Scope } from "../ledger/scope.ts";
import { GRANT_DIVISOR } from "./allowance-bank.ts";
import { inTurn, MAX_IDLE_MS } from "./in-turn.ts";
import { postgresNowMs } from "./postgres-clock.ts";

export interface CallsRequest {
  readonly orgId: string;
  /** `2026-11`. */
  readonly month: string;
  readonly limit: number;
  /** What this node has made, according to its ledger. */
  readonly madeCalls: number;
  /** The same, and what is about to be made, which is granted in any case. */
  readonly usedCalls: number;
  /** Nothing was reported since the node started. If it has made fewer calls than it once reported, its ledger has lost them. */
  readonly isFirst: boolean;
  /** The least that helps; 0: only reports what was used. */
  readonly wantedCalls: number;
  /** Gives back everything that is not used. */
  readonly givesBack: boolean;
}

export interface CallsGrant {
  /** All that this node may make in the month. */
  readonly grantedCalls: number;
  /** Of all nodes, as of their last requests. */
  readonly usedCalls: number;
}

export interface AgentRequest extends Scope {
  readonly agentKey: string;
  /** How many agents may be registered. */
  readonly limit: number;
}

export interface AgentAnswer {
  /** `known`: it was registered before, at any node. */
  readonly outcome: "known" | "registered" | "refused";
  readonly agents: number;
}

/** Divides the limits of tiers among nodes. */
export interface QuotaBank {
  askForCalls(request: CallsRequest): Promise<CallsGrant>;
  registerAgent(request: AgentRequest): Promise<AgentAnswer>;
  /** The call that registered it was not made. */
  withdrawAgent(agent: Scope & { readonly agentKey: string }): Promise<void>;
}

/** By then the agent's first event has been shipped, unless its node was killed before the call was made. */
const SLOT_LASTS_MS = HOUR_MS;

interface CallShare {
  readonly node_id: string;
  readonly granted_calls: number;
  readonly used_calls: number;
  readonly made_calls: number;
  readonly lost_calls: number;
}

export class PostgresQuotaBank implements QuotaBank {
  constructor(
    private readonly db: ControlDb,
    private readonly nodeId: string,
    private readonly maxIdleMs = MAX_IDLE_MS,
  ) {}

  /** Nothing is changed after the signal. */
  askForCalls(request: CallsRequest, signal?: AbortSignal): Promise<CallsGrant> {
    const { orgId, month } = request;
    const work = async (transaction: ControlTransaction) => {
      const shares = await transaction
        .selectFrom("call_shares")
        .select(["node_id", "granted_calls", "used_calls", "made_calls", "lost_calls"])
        .where("org_id", "=", orgId)
        .where("month", "=", month)
        .execute();
      const lost = lostBy(
        request,
        shares.find(({ node_id }) => node_id === this.nodeId),
      );
      const used = request.usedCalls + lost;
      const grant = divideCalls({ ...request, usedCalls: used }, shares, this.nodeId);
      const own = {
        granted_calls: grant.grantedCalls,
        used_calls: used,
        made_calls: request.madeCalls,
        lost_calls: lost,
      };
      await transaction
        .insertInto("call_shares")
        .values({ org_id: orgId, month, node_id: this.nodeId, ...own })
        .onConflict(conflict => conflict.columns(["org_id", "month", "node_id"]).doUpdateSet(own))
        .execute();
      // The node does not know what it has lost.
      return { ...grant, grantedCalls: grant.grantedCalls - lost };
    };
    return inTurn(this.db, ["calls", orgId, month], this.maxIdleMs, work, signal);
  }

  /** Nothing is changed after the signal. */
  registerAgent({ orgId, mode, agentKey, limit }: AgentRequest, signal?: AbortSignal): Promise<AgentAnswer> {
    // As JSON: PostgreSQL's text cannot hold every character that a sender may use in a name.
    const name = JSON.stringify(agentKey);
    const work = async (transaction: ControlTransaction): Promise<AgentAnswer> => {
      const { rows } = await sql<{ agent_key: string }>`
        SELECT agent_key FROM shared_agents WHERE org_id = ${orgId} AND mode = ${mode} AND agent_key = ${name}
        UNION
        (SELECT agent_key FROM shared_agents WHERE org_id = ${orgId} AND mode = ${mode} LIMIT ${limit})
        UNION
        SELECT agent_key FROM agent_slots
        WHERE org_id = ${orgId} AND mode = ${mode} AND taken_at > ${postgresNowMs} - ${sql.lit(SLOT_LASTS_MS)}
      `.execute(transaction);
      const agents = rows.length;
      if (rows.some(({ agent_key }) => agent_key === name)) return { outcome: "known", agents };
      if (agents >= limit) return { outcome: "refused", agents };
      const slot = { taken_at: postgresNowMs };
      await transaction
        .insertInto("agent_slots")
        .values({ org_id: orgId, mode, agent_key: name, ...slot })
        .onConflict(conflict => conflict.columns(["org_id", "mode", "agent_key"]).doUpdateSet(slot))
        .execute();
      return { outcome: "registered", agents: agents + 1 };
    };
    return inTurn(this.db, ["agents", orgId, mode], this.maxIdleMs, work, signal);
  }

  async withdrawAgent({ orgId, mode, agentKey }: Scope & { readonly agentKey: string }): Promise<void> {
    await this.db
      .deleteFrom("agent_slots")
      .where("org_id", "=", orgId)
      .where("mode", "=", mode)
      .where("agent_key", "=", JSON.stringify(agentKey))
      .execute();
  }
}

/** Within one run a lower count is not a loss: a call may be counted and then not made. */
function lostBy({ madeCalls, isFirst }: CallsRequest, mine: CallShare | undefined): number {
  if (mine === undefined) return 0;
  return mine.lost_calls + (isFirst ? Math.max(0, mine.made_calls - madeCalls) : 0);
}

/** The grants of all nodes together never exceed the limit, except by what was already used. */
function divideCalls(request: CallsRequest, shares: readonly CallShare[], nodeId: string): CallsGrant {
  const { limit, usedCalls, wantedCalls } = request;
  const mine = shares.find(({ node_id }) => node_id === nodeId);
  const others = shares.filter(({ node_id }) => node_id !== nodeId);
  const heldByOthers = others.reduce((sum, { granted_calls }) => sum + granted_calls, 0);
  const usedByOthers = others.reduce((sum, { used_calls }) => sum + used_calls, 0);
  const kept = request.givesBack ? usedCalls : Math.max(mine?.granted_calls ?? 0, usedCalls);
  // The limit may have been lowered since.
  const held = Math.max(usedCalls, Math.min(kept, limit - heldByOthers));
  const left = Math.max(0, limit - heldByOthers - held);
  const grant =
    wantedCalls === 0 ? 0 : Math.min(left, Math.max(wantedCalls, Math.floor(left / GRANT_DIVISOR)));
  return { grantedCalls: held + grant, usedCalls: usedCalls + usedByOthers };
}

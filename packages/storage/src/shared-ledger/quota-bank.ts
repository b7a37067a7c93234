import { HOUR_MS } from "@tollgate/core/time/durations";
import { sql } from "kysely";
import type { ControlDb, ControlTransaction } from "../database/schema.ts";
import type { Scope } from "../ledger/scope.ts";
import { GRANT_DIVISOR } from "./grant-share.ts";
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

export interface HeldMonth {
  readonly orgId: string;
  readonly month: string;
  readonly grantedCalls: number;
}

export interface AgentRequest extends Scope {
  readonly agentKey: string;
  /** How many agents may be registered. */
  readonly limit: number;
}

export interface AgentAnswer {
  /** `known`: it was registered before, at any node. */
  readonly result: "known" | "registered" | "refused";
  readonly agents: number;
  /** When the slot was taken, by PostgreSQL's clock, if this request has registered the agent. */
  readonly takenAt: number | null;
}

export interface AgentSlot extends Scope {
  readonly agentKey: string;
  readonly takenAt: number;
}

/** Divides the limits of tiers among nodes. */
export interface QuotaBank {
  askForCalls(request: CallsRequest): Promise<CallsGrant>;
  /** What this node holds of this month. */
  heldMonths(): Promise<HeldMonth[]>;
  registerAgent(request: AgentRequest): Promise<AgentAnswer>;
  /** The call that registered it was not made. Nothing happens if another node has asked for the agent since. */
  withdrawAgent(slot: AgentSlot): Promise<void>;
}

/** By then the agent's first event has been shipped, unless its node was killed before the call was made. */
const SLOT_LASTS_MS = HOUR_MS;

export interface CallShare {
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
      const { own, grant } = shareCalls(request, shares, this.nodeId);
      await transaction
        .insertInto("call_shares")
        .values({ org_id: orgId, month, node_id: this.nodeId, ...own })
        .onConflict(conflict => conflict.columns(["org_id", "month", "node_id"]).doUpdateSet(own))
        .execute();
      return grant;
    };
    return inTurn(this.db, ["calls", orgId, month], this.maxIdleMs, work, signal);
  }

  async heldMonths(): Promise<HeldMonth[]> {
    const rows = await this.db
      .selectFrom("call_shares")
      .select(["org_id", "month", "granted_calls", "lost_calls"])
      .where("node_id", "=", this.nodeId)
      .where("month", ">=", sql<string>`to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM')`)
      .execute();
    return rows.map(({ org_id, month, granted_calls, lost_calls }) => ({
      orgId: org_id,
      month,
      grantedCalls: granted_calls - lost_calls,
    }));
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
      // A later time than before, so that the node that took the slot earlier can no longer withdraw it.
      const takenAgain = sql<number>`GREATEST(${postgresNowMs}, agent_slots.taken_at + 1)`;
      if (rows.some(({ agent_key }) => agent_key === name)) {
        await transaction
          .updateTable("agent_slots")
          .set({ taken_at: takenAgain })
          .where("org_id", "=", orgId)
          .where("mode", "=", mode)
          .where("agent_key", "=", name)
          .execute();
        return { result: "known", agents, takenAt: null };
      }
      if (agents >= limit) return { result: "refused", agents, takenAt: null };
      const { taken_at } = await transaction
        .insertInto("agent_slots")
        .values({ org_id: orgId, mode, agent_key: name, taken_at: postgresNowMs })
        .onConflict(conflict =>
          conflict.columns(["org_id", "mode", "agent_key"]).doUpdateSet({ taken_at: takenAgain }),
        )
        .returning("taken_at")
        .executeTakeFirstOrThrow();
      return { result: "registered", agents: agents + 1, takenAt: taken_at };
    };
    return inTurn(this.db, ["agents", orgId, mode], this.maxIdleMs, work, signal);
  }

  /** In turn: between the two statements of a registration it would remove a slot that was just found. */
  withdrawAgent({ orgId, mode, agentKey, takenAt }: AgentSlot, signal?: AbortSignal): Promise<void> {
    const work = async (transaction: ControlTransaction) => {
      await transaction
        .deleteFrom("agent_slots")
        .where("org_id", "=", orgId)
        .where("mode", "=", mode)
        .where("agent_key", "=", JSON.stringify(agentKey))
        .where("taken_at", "=", takenAt)
        .execute();
    };
    return inTurn(this.db, ["agents", orgId, mode], this.maxIdleMs, work, signal);
  }
}

/** A node's new share of an organization's calls, and what it is told. */
export function shareCalls(
  request: CallsRequest,
  shares: readonly CallShare[],
  nodeId: string,
): { readonly own: Omit<CallShare, "node_id">; readonly grant: CallsGrant } {
  const lost = lostBy(
    request,
    shares.find(({ node_id }) => node_id === nodeId),
  );
  const used = request.usedCalls + lost;
  const { heldCalls, grantedCalls, usedCalls } = divideCalls({ ...request, usedCalls: used }, shares, nodeId);
  return {
    own: { granted_calls: heldCalls, used_calls: used, made_calls: request.madeCalls, lost_calls: lost },
    // The node does not know what it has lost.
    grant: { grantedCalls: Math.max(0, grantedCalls - lost), usedCalls },
  };
}

/** Within one run a lower count is not a loss: a call may be counted and then not made. */
function lostBy({ madeCalls, isFirst }: CallsRequest, mine: CallShare | undefined): number {
  if (mine === undefined) return 0;
  return mine.lost_calls + (isFirst ? Math.max(0, mine.made_calls - madeCalls) : 0);
}

interface Division extends CallsGrant {
  /** What is not left to other nodes: the grant, or more if more is used. */
  readonly heldCalls: number;
}

/** The grants of all nodes together never exceed the limit, except by what was already used. */
function divideCalls(request: CallsRequest, shares: readonly CallShare[], nodeId: string): Division {
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
  const heldCalls = held + grant;
  return {
    heldCalls,
    // A call that is about to be made may be refused after all. Its room is not this node's if others have used it.
    grantedCalls: Math.max(0, Math.min(heldCalls, limit - heldByOthers)),
    usedCalls: usedCalls + usedByOthers,
  };
}

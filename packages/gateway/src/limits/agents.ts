import { fail, type TollgateError } from "@tollgate/core/errors";
import type { Mode } from "@tollgate/core/event";
import { lowestTierAllowing, type Tier, type TierLimits } from "@tollgate/core/limits/tiers";
import { scopeName } from "@tollgate/storage/ledger/scope";
import type { AgentAnswer } from "@tollgate/storage/shared-ledger/quota-bank";
import type { SharedAgents } from "./shared-agents.ts";

interface AgentSource {
  agentsOf(orgId: string, mode: Mode, atMost: number): string[];
  hasAgent(orgId: string, mode: Mode, agentKey: string): boolean;
}

/** Enough for every tier with a limit, and for the working set of those without one. */
const REMEMBERED = 1000;
const MAX_REGISTERED = 10_000;

export interface Owner {
  readonly orgId: string;
  readonly mode: Mode;
  readonly tier: Tier;
  readonly limits: TierLimits;
}

const nameOf = (org: Owner, agentKey: string) => `${scopeName(org)} ${agentKey}`;

/** The registered agents. An agent registers with its first call, within the tier's limit. */
export class Agents {
  /** PostgreSQL's answers about agents that are not in this gateway's ledger yet. */
  readonly #registered = new Map<string, AgentAnswer["outcome"]>();
  readonly #known = { live: new Map<string, Set<string>>(), test: new Map<string, Set<string>>() };

  constructor(
    private readonly source: AgentSource,
    private readonly upgradeUrl: string,
    /** Called only for an unknown agent. */
    private readonly archivedAgents: (orgId: string, mode: Mode) => number,
    /** The agents of all gateways; null: this is the only one. */
    private readonly shared: SharedAgents | null = null,
  ) {}

  /**
   * Registers an agent that is new to this gateway with all gateways; call it before `isNew`. null: it is not, or it need
   * not be registered. Rejects with 402 at the tier's limit. If PostgreSQL does not answer, this gateway decides by the
   * agents it knows.
   */
  register(org: Owner, agentKey: string): Promise<void> | null {
    const { shared } = this;
    if (shared === null || org.limits.agents === Number.POSITIVE_INFINITY) return null;
    if (this.#agentsOf(org.orgId, org.mode).has(agentKey)) return null;
    const name = nameOf(org, agentKey);
    return this.#isRegistered(name) ? null : this.#registerWith(shared, org, agentKey, name);
  }

  async #registerWith(shared: SharedAgents, org: Owner, agentKey: string, name: string): Promise<void> {
    const archived = this.archivedAgents(org.orgId, org.mode);
    const { orgId, mode, limits } = org;
    const answer = await shared.register({ orgId, mode, agentKey, limit: limits.agents + archived });
    if (answer === null) return;
    if (this.#registered.size >= MAX_REGISTERED) this.#registered.clear();
    this.#registered.set(name, answer.outcome);
    if (answer.outcome === "refused") throw this.#full(org, answer.agents - archived);
  }

  get isShared(): boolean {
    return this.shared !== null;
  }

  /** The call that registered the agent was refused. */
  withdraw(org: Owner, agentKey: string): void {
    const name = nameOf(org, agentKey);
    if (this.#registered.get(name) !== "registered" || this.#agentsOf(org.orgId, org.mode).has(agentKey))
      return;
    this.#registered.delete(name);
    this.shared?.withdraw({ orgId: org.orgId, mode: org.mode, agentKey });
  }

  /** True if this call registers a new agent. Throws 402 at the tier's limit; archived agents do not count. */
  isNew(org: Owner, agentKey: string): boolean {
    const known = this.#agentsOf(org.orgId, org.mode);
    if (known.has(agentKey)) return false;
    if (known.size >= REMEMBERED && this.source.hasAgent(org.orgId, org.mode, agentKey)) return false;
    const outcome = this.shared === null ? undefined : this.#registered.get(nameOf(org, agentKey));
    if (outcome === "known" || outcome === "registered") return true;
    const counted = known.size - this.archivedAgents(org.orgId, org.mode);
    if (outcome === "refused" || counted >= org.limits.agents) throw this.#full(org, counted);
    return true;
  }

  /** Call when the agent is being written to the ledger. */
  remember(org: { orgId: string; mode: Mode }, agentKey: string): void {
    const known = this.#agentsOf(org.orgId, org.mode);
    if (known.size < REMEMBERED) known.add(agentKey);
  }

  /** Call when writing it failed. */
  forget(org: { orgId: string; mode: Mode }, agentKey: string): void {
    this.#agentsOf(org.orgId, org.mode).delete(agentKey);
  }

  #isRegistered(name: string): boolean {
    const outcome = this.#registered.get(name);
    return outcome === "known" || outcome === "registered";
  }

  #full({ tier, limits }: Owner, counted: number): TollgateError {
    return fail("tier_limit", `the ${tier} tier includes ${limits.agents} agents, and all are in use`, {
      required_tier: lowestTierAllowing("agents", counted + 1),
      current_tier: tier,
      upgrade_url: this.upgradeUrl,
    });
  }

  #agentsOf(orgId: string, mode: Mode): Set<string> {
    let known = this.#known[mode].get(orgId);
    if (!known) {
      known = new Set(this.source.agentsOf(orgId, mode, REMEMBERED));
      this.#known[mode].set(orgId, known);
    }
    return known;
  }
}

import { fail } from "@tollgate/core/errors";
import type { Mode } from "@tollgate/core/event";
import { lowestTierAllowing, type Tier, type TierLimits } from "@tollgate/core/limits/tiers";

interface AgentSource {
  agentsOf(orgId: string, mode: Mode, atMost: number): string[];
  hasAgent(orgId: string, mode: Mode, agentKey: string): boolean;
}

/** Enough for every tier with a limit, and for the working set of those without one. */
const REMEMBERED = 1000;

/** The registered agents. An agent registers with its first call, within the tier's limit. */
export class Agents {
  readonly #known = { live: new Map<string, Set<string>>(), test: new Map<string, Set<string>>() };

  constructor(
    private readonly source: AgentSource,
    private readonly upgradeUrl: string,
    /** Called only for an unknown agent. */
    private readonly archivedAgents: (orgId: string, mode: Mode) => number,
  ) {}

  /** True if this call registers a new agent. Throws 402 at the tier's limit; archived agents do not count. */
  isNew(org: { orgId: string; mode: Mode; tier: Tier }, agentKey: string, limits: TierLimits): boolean {
    const known = this.#agentsOf(org.orgId, org.mode);
    if (known.has(agentKey)) return false;
    if (known.size >= REMEMBERED && this.source.hasAgent(org.orgId, org.mode, agentKey)) return false;
    const counted = known.size - this.archivedAgents(org.orgId, org.mode);
    if (counted >= limits.agents) {
      throw fail("tier_limit", `the ${org.tier} tier includes ${limits.agents} agents, and all are in use`, {
        required_tier: lowestTierAllowing("agents", counted + 1),
        current_tier: org.tier,
        upgrade_url: this.upgradeUrl,
      });
    }
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

  #agentsOf(orgId: string, mode: Mode): Set<string> {
    let known = this.#known[mode].get(orgId);
    if (!known) {
      known = new Set(this.source.agentsOf(orgId, mode, REMEMBERED));
      this.#known[mode].set(orgId, known);
    }
    return known;
  }
}

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

/** What PostgreSQL said about an agent that is not in this gateway's ledger yet. */
interface Registration {
  /** null: nothing yet. */
  answer: AgentAnswer | null;
  asking: Promise<void> | null;
  /** Calls of the agent that wait to be admitted: a refused one must not withdraw the slot that others use. */
  calls: number;
}

/** The registered agents. An agent registers with its first call, within the tier's limit. */
export class Agents {
  readonly #registrations = new Map<string, Registration>();
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
    let registration = this.#registrations.get(name);
    if (registration === undefined) {
      registration = { answer: null, asking: null, calls: 0 };
      if (this.#registrations.size >= MAX_REGISTERED) this.#registrations.clear();
      this.#registrations.set(name, registration);
    }
    registration.calls++;
    return isGranted(registration) ? null : this.#registerWith(shared, org, agentKey, registration);
  }

  async #registerWith(
    shared: SharedAgents,
    org: Owner,
    agentKey: string,
    registration: Registration,
  ): Promise<void> {
    const archived = this.archivedAgents(org.orgId, org.mode);
    const { orgId, mode, limits } = org;
    registration.asking ??= shared
      .register({ orgId, mode, agentKey, limit: limits.agents + archived })
      .then(answer => {
        registration.answer = answer;
        registration.asking = null;
      });
    await registration.asking;
    const { answer } = registration;
    if (answer?.result === "refused") throw this.#full(org, answer.agents - archived);
  }

  get isShared(): boolean {
    return this.shared !== null;
  }

  /** A call for which `register` was called was refused. */
  withdraw(org: Owner, agentKey: string): void {
    const name = nameOf(org, agentKey);
    const registration = this.#registrations.get(name);
    if (registration === undefined) return;
    registration.calls--;
    const takenAt = registration.answer?.takenAt ?? null;
    if (takenAt === null || registration.calls > 0) return;
    if (this.#agentsOf(org.orgId, org.mode).has(agentKey)) return;
    this.#registrations.delete(name);
    this.shared?.withdraw({ orgId: org.orgId, mode: org.mode, agentKey, takenAt });
  }

  /** True if this call registers a new agent. Throws 402 at the tier's limit; archived agents do not count. */
  isNew(org: Owner, agentKey: string): boolean {
    const known = this.#agentsOf(org.orgId, org.mode);
    if (known.has(agentKey)) return false;
    if (known.size >= REMEMBERED && this.source.hasAgent(org.orgId, org.mode, agentKey)) return false;
    const result =
      this.shared === null ? undefined : this.#registrations.get(nameOf(org, agentKey))?.answer?.result;
    if (result === "known" || result === "registered") return true;
    const counted = known.size - this.archivedAgents(org.orgId, org.mode);
    if (result === "refused" || counted >= org.limits.agents) throw this.#full(org, counted);
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

const isGranted = ({ answer }: Registration) => answer !== null && answer.result !== "refused";

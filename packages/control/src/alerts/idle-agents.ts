import { alertRules } from "@tollgate/core/alerts/alert-rules";
import { type AgentObservation, idleFrom } from "@tollgate/core/alerts/idle-agent";
import type { Scope } from "@tollgate/storage/read-model/queries";
import type { AgentActivity, UsageWatch } from "@tollgate/storage/read-model/watch-usage";
import type { Control } from "../context.ts";
import { type AlertSettings, nameOf, type ScopeSettings } from "./alert-settings.ts";
import type { ScopeFaults } from "./scope-faults.ts";
import { keyOf, type OpenAlert, resolveAlerts, type Told, tell } from "./settle-alerts.ts";

/** At a time: many agents that fall silent together delay no other alert. */
const MOST_AT_ONCE = 50;

/**
 * Agents that have fallen silent. No call tells of that, so each scope has a time before which none of its agents can
 * have: until then nobody asks.
 */
export class IdleAgents {
  readonly #due = new Map<string, { readonly scope: Scope; at: number }>();

  constructor(
    private readonly control: Pick<Control, "db" | "engine" | "now" | "newId" | "wakeSender">,
    private readonly usage: UsageWatch,
    private readonly settings: AlertSettings,
    private readonly faults: ScopeFaults,
  ) {}

  /** Looks at the scope at the next turn: it is new, or something was said about it. */
  look(scope: Scope): void {
    this.#due.set(nameOf(scope), { scope, at: 0 });
  }

  /** An agent has called then: from here on it can fall silent. */
  called(scope: Scope, at: number): void {
    const due = this.#due.get(nameOf(scope));
    const idleAt = idleFrom(at, this.settings.of(scope).preferences.idle_agent.threshold_hours);
    if (due === undefined) this.#due.set(nameOf(scope), { scope, at: idleAt });
    else due.at = Math.min(due.at, idleAt);
  }

  async findNew(): Promise<void> {
    let left = MOST_AT_ONCE;
    for (const due of this.#due.values()) {
      if (left <= 0) return;
      if (due.at > this.control.now()) continue;
      await this.faults.attempt(due.scope, async () => {
        left -= await this.#findIn(due, left);
      });
    }
  }

  /** Ends what is told of agents that have called since, or that nobody expects to call any more. */
  async resolve(open: readonly (OpenAlert & Scope)[]): Promise<void> {
    const ids = open.flatMap(({ agent_id }) => agent_id ?? []);
    const agents = await this.usage.agentsById([...new Set(ids)]);
    const over = open.filter(alert => {
      const agent = agents.get(alert.agent_id ?? "");
      return (
        agent === undefined || !judge(this.settings.of(alert), agent, this.control.now()).some(isOf(alert))
      );
    });
    for (const alert of over) await resolveAlerts(this.control, alert, [alert]);
  }

  async #findIn(due: { readonly scope: Scope; at: number }, atMost: number): Promise<number> {
    const { scope } = due;
    const settings = this.settings.of(scope);
    const { enabled, threshold_hours } = settings.preferences.idle_agent;
    due.at = Number.POSITIVE_INFINITY;
    if (!enabled) return 0;
    const now = this.control.now();
    const idle: Told[] = [];
    let next = Number.POSITIVE_INFINITY;
    for (const agent of await this.usage.agents(scope)) {
      const drafts = judge(settings, agent, now);
      idle.push(...drafts.map(draft => ({ draft })));
      if (drafts.length > 0 || agent.lastCallAt === null || settings.exceptedAgents.has(agent.agentId))
        continue;
      next = Math.min(next, idleFrom(agent.lastCallAt, threshold_hours));
    }
    const told = await tell(this.control, scope, idle, atMost);
    // Not all of them: the rest comes next.
    due.at = Math.min(due.at, told < atMost ? next : 0);
    return told;
  }
}

function judge({ preferences, exceptedAgents }: ScopeSettings, agent: AgentActivity, now: number) {
  const { agentId, agentKey, lastCallAt } = agent;
  if (lastCallAt === null) return [];
  const isExcepted = exceptedAgents.has(agentId);
  const observed: AgentObservation = { agentId, agentKey, lastCallAt, isExcepted, now };
  return alertRules.agent.flatMap(rule => rule(observed, preferences) ?? []);
}

function isOf({ alert_key }: OpenAlert) {
  return (draft: Told["draft"]) => keyOf(draft) === alert_key;
}

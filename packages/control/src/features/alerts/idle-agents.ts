import { alertRules } from "@tollgate/core/alerts/alert-rules";
import { type AgentObservation, idleFrom } from "@tollgate/core/alerts/idle-agent";
import { listOfTexts } from "@tollgate/storage/database/list-of";
import { inScope } from "@tollgate/storage/ledger/in-scope";
import { type Scope, scopeName } from "@tollgate/storage/ledger/scope";
import type { AgentActivity, UsageWatch } from "@tollgate/storage/read-model/reading/watch-usage";
import type { Control } from "../../kernel/context.ts";
import type { AlertSettings, ScopeSettings } from "./alert-settings.ts";
import { applyRules } from "./apply-rules.ts";
import type { NewCall } from "./new-call.ts";
import type { ScopeFaults } from "./scope-faults.ts";
import { type AlertCandidate, keyOf, type OpenAlert, raiseNew, resolveAlerts } from "./settle-alerts.ts";

/** Batch sizes, in total and per scope: many agents that become idle together must not delay other alerts. */
const MAX_PER_TICK = 200;
const MAX_PER_SCOPE = 50;

/**
 * Agents that have stopped calling. No event reports that, so each scope has a time before which none of its agents
 * can become idle; until then nothing is queried.
 */
export class IdleAgents {
  readonly #due = new Map<string, { readonly scope: Scope; at: number }>();
  /** Since the last check: agents that called or whose settings changed. Nothing else resolves such an alert. */
  readonly #callers = new Map<string, { readonly scope: Scope; readonly keys: Set<string> }>();
  readonly #changed = new Map<string, Scope>();
  /** When an agent's last imported call arrived, by scope and agent key. */
  readonly #imported = new Map<string, Map<string, number>>();

  constructor(
    private readonly control: Pick<Control, "db" | "engine" | "now" | "newId" | "wakeSender">,
    private readonly usage: UsageWatch,
    private readonly settings: AlertSettings,
    private readonly faults: ScopeFaults,
  ) {}

  /** Checks the scope at the next tick, because it is new or its settings changed. */
  recheck(scope: Scope): void {
    this.#due.set(scopeName(scope), { scope, at: 0 });
    this.#changed.set(scopeName(scope), scope);
  }

  /** These agents called: their alerts may be over, and they can become idle again. */
  called(scope: Scope, calls: readonly NewCall[]): void {
    const name = scopeName(scope);
    const callers = this.#callers.get(name) ?? { scope, keys: new Set() };
    this.#callers.set(name, callers);
    const { threshold_hours } = this.settings.of(scope).preferences.idle_agent;
    const now = this.control.now();
    const imported = this.#imported.get(name) ?? new Map<string, number>();
    let idleAt = Number.POSITIVE_INFINITY;
    for (const { at, agentKey, isImported } of calls) {
      callers.keys.add(agentKey);
      if (isImported) imported.set(agentKey, now);
      idleAt = Math.min(idleAt, idleFrom(at, isImported ? now : at, threshold_hours));
    }
    if (imported.size > 0) this.#imported.set(name, imported);
    const due = this.#due.get(name);
    if (due === undefined) this.#due.set(name, { scope, at: idleAt });
    else due.at = Math.min(due.at, idleAt);
  }

  async findNew(): Promise<void> {
    let left = MAX_PER_TICK;
    for (const [name, due] of [...this.#due]) {
      if (left <= 0) return;
      if (due.at > this.control.now()) continue;
      // Moves to the end of the queue: a scope with more than one batch waits for all others.
      this.#due.delete(name);
      this.#due.set(name, due);
      await this.faults.attempt(due.scope, async () => {
        left -= await this.#findIn(due, Math.min(left, MAX_PER_SCOPE));
      });
    }
  }

  /** Resolves alerts of agents that have called since, or that are no longer expected to call. */
  async resolve(): Promise<void> {
    for (const [name, scope] of this.#changed) {
      await this.faults.attempt(scope, () => this.#resolveWhere(scope, null));
      this.#changed.delete(name);
    }
    for (const [name, { scope, keys }] of this.#callers) {
      await this.faults.attempt(scope, () => this.#resolveWhere(scope, [...keys]));
      this.#callers.delete(name);
    }
  }

  /** For these agents, or for all. */
  async #resolveWhere(scope: Scope, agentKeys: readonly string[] | null): Promise<void> {
    const agents = new Map(
      (await this.usage.agents(scope, agentKeys)).map(agent => [agent.agentId, agent] as const),
    );
    const open = await openIdleAlerts(this.control, scope, agentKeys === null ? null : [...agents.keys()]);
    const settings = this.settings.of(scope);
    const over = open.filter(alert => {
      const agent = agents.get(alert.agent_id ?? "");
      // Without the grace period: importing an old call must not resolve the alert.
      return agent === undefined || !judge(settings, agent, 0, this.control.now()).some(isOf(alert));
    });
    await resolveAlerts(this.control, scope, over);
  }

  async #findIn(due: { readonly scope: Scope; at: number }, atMost: number): Promise<number> {
    const { scope } = due;
    const settings = this.settings.of(scope);
    const { enabled, threshold_hours } = settings.preferences.idle_agent;
    due.at = Number.POSITIVE_INFINITY;
    if (!enabled || !this.settings.isActive(scope)) {
      this.#imported.delete(scopeName(scope));
      return 0;
    }
    try {
      return await this.#raiseIdle(due, threshold_hours, atMost);
    } catch (fault) {
      // If no further call triggers another check, the alert would never be raised.
      due.at = 0;
      throw fault;
    }
  }

  async #raiseIdle(
    due: { readonly scope: Scope; at: number },
    thresholdHours: number,
    atMost: number,
  ): Promise<number> {
    const { scope } = due;
    const settings = this.settings.of(scope);
    const now = this.control.now();
    const imported = this.#imported.get(scopeName(scope));
    const idle: AlertCandidate[] = [];
    let next = Number.POSITIVE_INFINITY;
    for (const agent of await this.usage.agents(scope)) {
      const learnedAt = Math.max(agent.firstSeenAt, imported?.get(agent.agentKey) ?? 0);
      const drafts = judge(settings, agent, learnedAt, now);
      idle.push(...drafts.map(draft => ({ draft })));
      if (drafts.length > 0 || agent.lastCallAt === null || settings.exceptedAgents.has(agent.agentId)) {
        imported?.delete(agent.agentKey);
        continue;
      }
      next = Math.min(next, idleFrom(agent.lastCallAt, learnedAt, thresholdHours));
    }
    if (imported?.size === 0) this.#imported.delete(scopeName(scope));
    const raised = await raiseNew(this.control, scope, idle, atMost);
    // A full batch: the rest follows in the next one.
    due.at = Math.min(due.at, raised < atMost ? next : 0);
    return raised;
  }
}

function judge(
  { preferences, exceptedAgents }: ScopeSettings,
  agent: AgentActivity,
  learnedAt: number,
  now: number,
) {
  const { agentId, agentKey, lastCallAt } = agent;
  if (lastCallAt === null) return [];
  const isExcepted = exceptedAgents.has(agentId);
  const observed: AgentObservation = { agentId, agentKey, lastCallAt, learnedAt, isExcepted, now };
  return applyRules(alertRules.agent, observed, preferences);
}

function isOf({ alert_key }: OpenAlert) {
  return (draft: AlertCandidate["draft"]) => keyOf(draft) === alert_key;
}

async function openIdleAlerts(
  { db, engine }: Pick<Control, "db" | "engine">,
  scope: Scope,
  agentIds: readonly string[] | null,
): Promise<OpenAlert[]> {
  const rules = agentIds?.map(id => `idle_agent:${id}`) ?? null;
  return await db
    .selectFrom("alerts")
    .select(["id", "alert_key", "rule_key", "agent_id"])
    .where(inScope(scope))
    .where("resolved_at", "is", null)
    .where("type", "=", "idle_agent")
    .$if(rules !== null, query => query.where("rule_key", "in", listOfTexts(engine, rules ?? [])))
    .execute();
}

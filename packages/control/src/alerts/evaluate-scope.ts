import { isDeepStrictEqual } from "node:util";
import type { AlertDraft } from "@tollgate/core/alerts/alert-draft";
import { hourOf, isOfLastHour, isPeriodOver } from "@tollgate/core/alerts/alert-period";
import type { AlertRule } from "@tollgate/core/alerts/alert-rule";
import { alertRules } from "@tollgate/core/alerts/alert-rules";
import type { LastHourObservation } from "@tollgate/core/alerts/error-rate";
import type { AlertPreferences } from "@tollgate/core/alerts/preferences";
import { isHourly, type Threshold } from "@tollgate/core/alerts/threshold";
import { budgetPeriods, periodSpan } from "@tollgate/core/budgets/period";
import { DAY_MS, HOUR_MS } from "@tollgate/core/time/durations";
import { startOfDay } from "@tollgate/core/time/start-of-day";
import type { Scope } from "@tollgate/storage/ledger/scope";
import type { UsageWatch } from "@tollgate/storage/read-model/reading/watch-usage";
import type { BudgetRow } from "../budgets/read-budgets.ts";
import type { Control } from "../kernel/context.ts";
import type { ScopeSettings } from "./alert-settings.ts";
import type { LastHourWatch } from "./last-hour-watch.ts";
import type { NewCall } from "./new-call.ts";
import { observeBudgets, observeCostThresholds, observeDay } from "./observe-costs.ts";
import { type PausedAgent, pauseAgents } from "./pause-agents.ts";
import { type AlertCandidate, keyOf, settleAlerts } from "./settle-alerts.ts";
import type { UsualDays } from "./usual-days.ts";
import { startBefore, type UsualHours } from "./usual-hours.ts";

interface Evaluation {
  readonly control: Pick<Control, "db" | "engine" | "readModel" | "now" | "newId" | "wakeSender">;
  readonly usage: UsageWatch;
  readonly usualDays: UsualDays;
  readonly usualHours: UsualHours;
  readonly scope: Scope;
  readonly settings: ScopeSettings;
  readonly lastHour: LastHourWatch;
  /** New calls since the last evaluation, in ledger order. */
  readonly calls: readonly NewCall[];
  /** How far time is known: without limit, or with a backlog up to the last event read. */
  readonly knownUntil: number;
  /** Whether the last hour is known well enough to resolve anything. */
  readonly endsLastHour: boolean;
  /** Whether there may be alerts to resolve. */
  readonly hasOpenAlerts: boolean;
}

/** Events may be reported long after the fact; it is too late to act on older days. */
const OLDEST_DAYS = 7;
/**
 * Older imported calls raise no alert: it is too late to act on them. The gateway's own calls do however old they are,
 * because they are only late if the control plane was down.
 */
const OLDEST_IMPORT_MS = DAY_MS;

/**
 * Evaluates an organization's rules, raises new alerts and resolves those that are over. Costs only grow, so one
 * evaluation after many calls misses nothing; rates rise and fall, so the last hour is evaluated after every call.
 * Resolves with whether anything is or was over its threshold.
 */
export async function evaluateScope(evaluation: Evaluation): Promise<boolean> {
  const now = evaluation.control.now();
  const crossed = await followCalls(evaluation, now);
  const { lastHour } = evaluation;
  // Not beyond what was read: with a backlog, calls of an earlier hour are still unread.
  lastHour.advance(Math.min(now, evaluation.knownUntil));
  const usual = await evaluation.usualHours.before(evaluation.scope, lastHour.at);
  const lastHourNow = judgeLastHour(lastHour, usual, evaluation.settings.preferences).map(
    ({ draft }) => draft,
  );
  const costs = await judgeCosts(evaluation, now);
  const holding = [...lastHourNow, ...costs.holding];
  // With a backlog this hour may be long past. Thresholds crossed by a call are in `crossed`, and an hour recounted
  // from the facts does not know which of its calls were imported.
  const isPresent = lastHour.at >= now - OLDEST_IMPORT_MS;
  const news = new Map<string, AlertDraft>();
  for (const draft of [...crossed, ...(isPresent ? lastHourNow : []), ...costs.toRaise]) {
    const rule = isOfLastHour(draft.period) ? draft.ruleKey : keyOf(draft);
    const first = news.get(rule);
    // Dated when the threshold was crossed, with the worst value since.
    const isWorse = draft.severity === "critical" && first?.severity === "warning";
    if (first === undefined || isWorse) news.set(rule, { ...draft, period: first?.period ?? draft.period });
  }
  const candidates = [...news.values()].map(draft => withPause(evaluation, draft, now));
  if (candidates.length === 0 && !evaluation.hasOpenAlerts) return false;
  await settleAlerts(evaluation.control, evaluation.scope, holding, candidates, evaluation.endsLastHour);
  return candidates.length > 0;
}

/** Every threshold that was crossed after any of the calls, even if it no longer is. */
async function followCalls(
  { calls, lastHour, settings: { preferences }, usualHours, scope }: Evaluation,
  now: number,
): Promise<AlertDraft[]> {
  const crossed: AlertDraft[] = [];
  // Imported calls of past days change the baseline.
  if (calls.some(({ at }) => at < startBefore(now))) usualHours.forget(scope);
  // Rules and thresholds already in `crossed`, which need no further computation for later calls.
  const known = new Set<unknown>();
  let compared = { before: Number.NaN, usual: { calls: 0, hours: 0 } };
  for (const call of calls) {
    if (isHistory(call, now)) continue;
    lastHour.add({ ...call, at: Math.min(call.at, now) });
    const before = startBefore(lastHour.at);
    if (compared.before !== before) compared = { before, usual: await usualHours.before(scope, lastHour.at) };
    for (const { subject, draft } of judgeLastHour(lastHour, compared.usual, preferences, known)) {
      known.add(subject);
      crossed.push(draft);
    }
  }
  return crossed;
}

function judgeLastHour(
  lastHour: LastHourWatch,
  usual: LastHourObservation["usual"],
  preferences: AlertPreferences,
  known: ReadonlySet<unknown> = new Set(),
): { subject: unknown; draft: AlertDraft }[] {
  const found: { subject: unknown; draft: AlertDraft }[] = [];
  const observed = lastHour.observe(usual);
  for (const rule of alertRules.lastHour) {
    const draft = known.has(rule) ? null : rule(observed, preferences);
    if (draft !== null) found.push({ subject: rule, draft });
  }
  for (const reached of lastHour.observeThresholds(known)) {
    for (const draft of judge(alertRules.threshold, reached, preferences)) {
      found.push({ subject: reached.threshold, draft });
    }
  }
  return found;
}

function judge<Observed>(
  rules: readonly AlertRule<Observed>[],
  observed: Observed,
  preferences: AlertPreferences,
): AlertDraft[] {
  return rules.flatMap(rule => rule(observed, preferences) ?? []);
}

async function judgeCosts(
  { control, usage, usualDays, scope, settings: { preferences, budgets, thresholds }, calls }: Evaluation,
  now: number,
): Promise<{ holding: AlertDraft[]; toRaise: AlertDraft[] }> {
  const days = daysTouched(calls, now);
  if (calls.some(({ at }) => at < startOfDay(now))) usualDays.forget(scope);
  const drafts: AlertDraft[] = [];
  for (const day of days) {
    const observed = await observeDay(usage, usualDays, scope, day);
    if (observed !== null) drafts.push(...judge(alertRules.day, observed, preferences));
  }
  for (const observed of await observeCostThresholds(usage, scope, thresholds, days)) {
    drafts.push(...judge(alertRules.threshold, observed, preferences));
  }
  const toRaise = [...drafts];
  const reached = (await observeBudgets(control.readModel, scope, budgets, days))
    .map(({ id, ...observed }) => ({ id, lines: judge(alertRules.budget, { id, ...observed }, preferences) }))
    .filter(({ lines }) => lines.length > 0);
  const unchanged = reached.length === 0 ? null : await unchangedBudgets(control.db, scope, budgets);
  for (const { id, lines } of reached) {
    if (!unchanged?.has(id)) continue;
    drafts.push(...lines);
    toRaise.push(...lines.slice(0, 1));
  }
  return { holding: drafts.filter(({ period }) => !isPeriodOver(period, now)), toRaise };
}

/**
 * Spend is read after the settings, so it may include calls made after a budget was paused, raised or reset. A budget
 * that has changed since is judged by its new settings at the next refresh.
 */
async function unchangedBudgets(
  db: Control["db"],
  { orgId, mode }: Scope,
  budgets: readonly BudgetRow[],
): Promise<Set<string>> {
  const rows = await db
    .selectFrom("budgets")
    .selectAll()
    .where("org_id", "=", orgId)
    .where("mode", "=", mode)
    .execute();
  const current = new Map(rows.map(row => [row.id, row]));
  return new Set(budgets.filter(row => isDeepStrictEqual(row, current.get(row.id))).map(({ id }) => id));
}

/** Today and every day with a new call, so that yesterday is still evaluated after downtime over midnight. */
function daysTouched(calls: readonly NewCall[], now: number): number[] {
  const today = startOfDay(now);
  const days = new Set([today]);
  for (const call of calls) {
    const day = startOfDay(call.at);
    if (day < today && day >= today - OLDEST_DAYS * DAY_MS && !isHistory(call, now)) days.add(day);
  }
  return [...days].sort((a, b) => a - b);
}

function isHistory({ at, isImported }: NewCall, now: number): boolean {
  return isImported && at < now - OLDEST_IMPORT_MS;
}

function withPause({ control, scope, settings }: Evaluation, draft: AlertDraft, now: number): AlertCandidate {
  const rule = settings.thresholds.find(({ id }) => draft.metadata.threshold_id === id);
  // An alert about a day that has ended must not pause an agent on the next day.
  if (rule?.action !== "pause_agent" || isLongAgo(draft.period, now)) return { draft };
  return {
    draft,
    sideEffect: async () => {
      const agents = await agentsOf(control.readModel, scope, rule, now);
      return transaction => pauseAgents(transaction, control, scope, agents, rule.id);
    },
  };
}

function isLongAgo(period: string, now: number): boolean {
  const hour = hourOf(period);
  return hour === null ? isPeriodOver(period, now) : now >= hour + 2 * HOUR_MS;
}

/** The rule's agent; for an organization-wide rule, every agent that called within its window. */
async function agentsOf(
  readModel: Pick<Control["readModel"], "usageByAgent">,
  scope: Scope,
  rule: Threshold,
  now: number,
): Promise<PausedAgent[]> {
  if (rule.agentId !== null && rule.agentKey !== null) return [{ id: rule.agentId, agentKey: rule.agentKey }];
  const period = budgetPeriods[rule.metric === "daily_cost" ? 0 : 1];
  const from = isHourly(rule.metric) ? now - HOUR_MS : periodSpan(period, now).startsAtMs;
  const agents = await readModel.usageByAgent(scope, { from, to: now + 1 });
  return agents.map(({ agent_id, agent_key }) => ({ id: agent_id, agentKey: agent_key }));
}

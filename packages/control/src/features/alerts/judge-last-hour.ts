import type { AlertDraft } from "@tollgate/core/alerts/alert-draft";
import { alertRules } from "@tollgate/core/alerts/alert-rules";
import { applyRules } from "./apply-rules.ts";
import { isHistory } from "./new-call.ts";
import type { ScopeEvaluation } from "./scope-evaluation.ts";
import { startBefore } from "./usual-hours.ts";

interface Crossing {
  /** The rule or the threshold. */
  readonly subject: unknown;
  readonly draft: AlertDraft;
}

/** Adds the new calls to the last hour. Resolves with every threshold crossed after any of them, even if it no longer is. */
export async function judgeNewCalls(evaluation: ScopeEvaluation): Promise<AlertDraft[]> {
  const { calls, lastHour, usualHours, scope, now } = evaluation;
  // Imported calls of past days change the baseline.
  if (calls.some(({ at }) => at < startBefore(now))) usualHours.forget(scope);
  const drafts: AlertDraft[] = [];
  // A threshold is reported once, so later calls need not compute it again.
  const reported = new Set<unknown>();
  for (const call of calls) {
    if (isHistory(call, now)) continue;
    lastHour.add({ ...call, at: Math.min(call.at, now) });
    for (const { subject, draft } of await findCrossings(evaluation, reported)) {
      reported.add(subject);
      drafts.push(draft);
    }
  }
  return drafts;
}

/** Every threshold that is crossed now. */
export async function judgeLastHour(evaluation: ScopeEvaluation): Promise<AlertDraft[]> {
  const { lastHour, now, knownUntil } = evaluation;
  // Not beyond what was read: with a backlog, calls of an earlier hour are still unread.
  lastHour.advance(Math.min(now, knownUntil));
  return (await findCrossings(evaluation)).map(({ draft }) => draft);
}

async function findCrossings(
  { lastHour, usualHours, scope, settings: { preferences } }: ScopeEvaluation,
  reported: ReadonlySet<unknown> = new Set(),
): Promise<Crossing[]> {
  const crossings: Crossing[] = [];
  const observed = lastHour.observe(await usualHours.before(scope, lastHour.at));
  for (const rule of alertRules.lastHour) {
    const draft = reported.has(rule) ? null : rule(observed, preferences);
    if (draft !== null) crossings.push({ subject: rule, draft });
  }
  for (const reached of lastHour.observeThresholds(reported)) {
    for (const draft of applyRules(alertRules.threshold, reached, preferences)) {
      crossings.push({ subject: reached.threshold, draft });
    }
  }
  return crossings;
}

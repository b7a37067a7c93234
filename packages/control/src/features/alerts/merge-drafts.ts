import type { AlertDraft } from "@tollgate/core/alerts/alert-draft";
import { isOfLastHour } from "@tollgate/core/alerts/alert-period";
import { keyOf } from "./settle-alerts.ts";

/**
 * One draft per alert. A rule about the last hour has one alert however many hours the drafts are from; it is dated when
 * the threshold was first crossed and has the worst severity since.
 */
export function mergeDrafts(drafts: readonly AlertDraft[]): AlertDraft[] {
  const merged = new Map<string, AlertDraft>();
  for (const draft of drafts) {
    const alert = isOfLastHour(draft.period) ? draft.ruleKey : keyOf(draft);
    const first = merged.get(alert);
    if (first === undefined) merged.set(alert, draft);
    else if (isWorse(draft, first)) merged.set(alert, { ...draft, period: first.period });
  }
  return [...merged.values()];
}

function isWorse(draft: AlertDraft, than: AlertDraft): boolean {
  return draft.severity === "critical" && than.severity === "warning";
}

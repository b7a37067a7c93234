const order = { critical: 0, warning: 1, info: 2 } as const;

/** Many agents that fell idle must not hide a budget that is spent. Alerts of one severity keep their order. */
export function mostSevereFirst<Alert extends { readonly severity: keyof typeof order }>(
  alerts: readonly Alert[],
): Alert[] {
  return alerts.toSorted((a, b) => order[a.severity] - order[b.severity]);
}

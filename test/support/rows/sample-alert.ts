import { bodyOf } from "@tollgate/control/messaging/delivery/delivery";

/** An alert's delivery, as written by `raiseAlert`. */
export function sampleAlert(orgId: string, changes: Record<string, unknown> = {}) {
  const at = Date.parse("2026-11-15T12:00:00.000Z");
  return {
    id: "01900000-0000-7000-8000-000000000001",
    org_id: orgId,
    mode: "live",
    receiver: `email:${orgId}`,
    kind: "alert.triggered",
    body: bodyOf("alert.triggered", at, {
      organization_id: orgId,
      mode: "live",
      id: "alert-1",
      type: "budget_warning",
      triggered_at: new Date(at).toISOString(),
      severity: "critical",
      message: "A daily budget has reached its limit (100% used)",
      metadata: { kind: "limit", current_spending: 10_000_000, limit_microcents: 10_000_000 },
      agent_id: null,
      ...changes,
    }),
  };
}

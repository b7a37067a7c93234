/**
 * The web endpoints and tools of the specification. Tests iterate over these lists and not over our own declarations,
 * which cannot show what is missing.
 */

export interface SpecEndpoint {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
}

/** Section 4.2, except GET /api/health, which needs no credential. */
export const specEndpoints: readonly SpecEndpoint[] = [
  { method: "GET", path: "/api/agents" },
  { method: "GET", path: "/api/agents/{id}" },
  { method: "GET", path: "/api/agents/{id}/metrics" },
  { method: "POST", path: "/api/webhooks/generic/{orgId}" },
  { method: "GET", path: "/api/budgets" },
  { method: "POST", path: "/api/budgets" },
  { method: "DELETE", path: "/api/budgets/{id}" },
  { method: "POST", path: "/api/budgets/{id}/resume" },
  { method: "GET", path: "/api/budgets/status" },
  { method: "GET", path: "/api/alerts" },
  { method: "GET", path: "/api/alerts/preferences" },
  { method: "PATCH", path: "/api/alerts/preferences" },
  { method: "GET", path: "/api/analytics" },
  { method: "POST", path: "/api/alerts/test" },
  { method: "GET", path: "/api/suggestions" },
  { method: "GET", path: "/api/cost-leak-scan" },
  { method: "GET", path: "/api/dashboard" },
  { method: "GET", path: "/api/verify/requests/{id}" },
  { method: "GET", path: "/api/loop-views/verdicts" },
];

/** Section 4.3, by the four domains of docs/decisions/0009. */
export const hostedOnlyTools = {
  "Upgrade business case": ["svc_get_upgrade_business_case"],
  "Agent health": ["svc_get_health_scores", "svc_get_rankings"],
  Verification: ["svc_get_balance", "svc_buy_verification", "svc_verify_switch", "svc_get_verification"],
  "Loop metrics": [
    "svc_get_signal_readiness",
    "svc_get_dashboard_headline",
    "svc_get_report_snapshot",
    "svc_get_verdicts",
    "svc_get_trials",
    "svc_get_proposals",
    "svc_get_actuations",
    "svc_get_decision_queue",
  ],
} as const satisfies Record<string, readonly string[]>;

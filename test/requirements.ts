/**
 * The requirement ledger: every id by area, and what is claimed to hold. A test proves a requirement by citing its
 * id in its title; `requirements.test.ts` fails when a claimed id is cited nowhere.
 */

const ids = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${String(index + 1).padStart(3, "0")}`);

export const areas = {
  gateway: ids("GW", 48),
  money: ids("MON", 17),
  limits: ids("LIM", 17),
  budgets: ids("BUD", 21),
  "web API": ids("WEB", 18),
  auth: ids("AUTH", 10),
  ingestion: ids("ING", 10),
  webhooks: ids("HOOK", 14),
  alerts: ids("ALERT", 20),
  "live channel": ids("LIVE", 8),
  "tool server": ids("TOOL", 61),
  optimisation: ids("OPT", 18),
  experiments: ids("EXP", 9),
  "attribution and ROI": ids("ROI", 8),
  "verification and loop": ids("LOOP", 28),
  security: ids("SEC", 8),
  reliability: ids("REL", 13),
  operation: ids("OPS", 16),
} as const satisfies Record<string, readonly string[]>;

export type Area = keyof typeof areas;

/** An area counts as complete when it stands here. What waits for another capability is named, with the reason. */
export interface Claim {
  readonly area: Area;
  readonly awaiting: Readonly<Record<string, string>>;
}

const webApi = "needs the web API of the control plane";
const budgets = "needs budgets";
const manyNodes = "needs PostgreSQL and Redis: several nodes";

export const claims: readonly Claim[] = [
  // GW-025 and GW-042, MON-012 and MON-014 are proven for the gateway, the ledger and the CLI; what the web API
  // shows of them comes with it.
  { area: "gateway", awaiting: {} },
  { area: "money", awaiting: {} },
  {
    area: "limits",
    awaiting: { "LIM-011": webApi, "LIM-012": webApi, "LIM-013": webApi, "LIM-014": budgets },
  },
  {
    area: "security",
    awaiting: {
      "SEC-004": webApi,
      "SEC-005": "needs outgoing webhooks",
      "SEC-006": "needs outgoing webhooks",
      "SEC-008": "needs capture and sessions",
    },
  },
  {
    area: "reliability",
    awaiting: {
      "REL-001": budgets,
      "REL-002": budgets,
      "REL-006": "needs the control plane as a second process",
      "REL-007": "needs the control plane as a second process",
      "REL-008": "needs outgoing webhooks",
      "REL-009": webApi,
      "REL-010": manyNodes,
      "REL-011": manyNodes,
    },
  },
  {
    area: "operation",
    awaiting: {
      "OPS-001": "both planes: needs the control plane as a second process",
      "OPS-004": "proven by running `npm test` on a fresh clone, which a test cannot do from within",
      "OPS-014": webApi,
    },
  },
];

/**
 * The requirement ledger: every id by area, and what is claimed to hold. A test proves a requirement by citing its
 * id in its title; `requirements.test.ts` fails when a claimed id is cited nowhere.
 */

const ids = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${String(index + 1).padStart(3, "0")}`);

export const areas = {
  gateway: ids("GW", 48),
  money: ids("MON", 21),
  limits: ids("LIM", 17),
  budgets: ids("BUD", 24),
  "web API": ids("WEB", 22),
  auth: ids("AUTH", 10),
  ingestion: ids("ING", 11),
  webhooks: ids("HOOK", 14),
  alerts: ids("ALERT", 20),
  "live channel": ids("LIVE", 8),
  "tool server": ids("TOOL", 62),
  optimisation: ids("OPT", 18),
  experiments: ids("EXP", 9),
  "attribution and ROI": ids("ROI", 8),
  "verification and loop": ids("LOOP", 34),
  security: ids("SEC", 11),
  reliability: ids("REL", 22),
  operation: ids("OPS", 16),
  dashboard: ids("DASH", 8),
} as const satisfies Record<string, readonly string[]>;

export type Area = keyof typeof areas;

/** An area counts as complete when it stands here. What waits for another capability is named, with the reason. */
export interface Claim {
  readonly area: Area;
  readonly awaiting: Readonly<Record<string, string>>;
}

const notBuilt = (...awaited: readonly string[]) =>
  Object.fromEntries(awaited.map(id => [id, "not built yet"]));

/** `spec-surface.ts` names what they wait for. */
const verification =
  "needs GET /api/verify/requests/{id} and GET /api/loop-views/verdicts, which are not built yet";

const manyNodes = "needs PostgreSQL and Redis: several nodes";

/** TOOL-001, TOOL-002 and TOOL-062 are about them, TOOL-042 to TOOL-056 are them. */
const hostedOnly = Object.fromEntries(
  areas["tool server"]
    .filter((_, index) => index <= 1 || (index >= 41 && index <= 55) || index === 61)
    .map(id => [id, "hosted-only tools come with verification and the loop"]),
);

export const claims: readonly Claim[] = [
  { area: "gateway", awaiting: {} },
  { area: "money", awaiting: {} },
  { area: "limits", awaiting: {} },
  { area: "budgets", awaiting: { "BUD-024": "budgets of keys and customers are not built yet" } },
  {
    area: "web API",
    awaiting: { "WEB-018": verification, ...notBuilt("WEB-019", "WEB-020", "WEB-021", "WEB-022") },
  },
  { area: "auth", awaiting: { "AUTH-005": verification } },
  { area: "ingestion", awaiting: {} },
  { area: "webhooks", awaiting: {} },
  { area: "alerts", awaiting: {} },
  {
    area: "live channel",
    awaiting: { "LIVE-006": "measured by `npm run bench -- live`: a percentile of time is no test" },
  },
  { area: "tool server", awaiting: hostedOnly },
  { area: "optimisation", awaiting: {} },
  { area: "experiments", awaiting: {} },
  { area: "attribution and ROI", awaiting: {} },
  { area: "security", awaiting: { "SEC-004": verification } },
  {
    area: "reliability",
    awaiting: {
      "REL-002": manyNodes,
      "REL-009": "measured by `npm run bench -- analytics`: ten million events are no test",
      "REL-010": manyNodes,
      "REL-011": manyNodes,
      ...Object.fromEntries(
        ids("REL", 22)
          .slice(16)
          .map(id => [id, manyNodes]),
      ),
    },
  },
  {
    area: "operation",
    awaiting: {
      "OPS-004": "proven by running `npm test` on a fresh clone, which a test cannot do from within",
    },
  },
];

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
  reliability: ids("REL", 16),
  operation: ids("OPS", 16),
} as const satisfies Record<string, readonly string[]>;

export type Area = keyof typeof areas;

/** An area counts as complete when it stands here. What waits for another capability is named, with the reason. */
export interface Claim {
  readonly area: Area;
  readonly awaiting: Readonly<Record<string, string>>;
}

const manyNodes = "needs PostgreSQL and Redis: several nodes";

/** TOOL-002 counts them, TOOL-042 to TOOL-056 are them. */
const hostedOnly = Object.fromEntries(
  areas["tool server"]
    .filter((_, index) => index === 1 || (index >= 41 && index <= 55))
    .map(id => [id, "hosted-only tools come with verification and the loop"]),
);

export const claims: readonly Claim[] = [
  { area: "gateway", awaiting: {} },
  { area: "money", awaiting: {} },
  { area: "limits", awaiting: {} },
  { area: "budgets", awaiting: {} },
  { area: "web API", awaiting: {} },
  { area: "auth", awaiting: {} },
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
  { area: "security", awaiting: {} },
  {
    area: "reliability",
    awaiting: {
      "REL-002": manyNodes,
      "REL-009": "measured by `npm run bench -- analytics`: ten million events are no test",
      "REL-010": manyNodes,
      "REL-011": manyNodes,
      "REL-014": "readers ahead of their ledger: not built yet",
    },
  },
  {
    area: "operation",
    awaiting: {
      "OPS-004": "proven by running `npm test` on a fresh clone, which a test cannot do from within",
    },
  },
];

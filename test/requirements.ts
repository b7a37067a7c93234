/**
 * Which requirements of `requirements.tsv` are claimed to hold. A test proves a requirement by citing its id in its
 * title; `requirements.test.ts` fails if no test cites a claimed id.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Requirement {
  readonly id: string;
  readonly area: Area;
  readonly sentence: string;
}

const areaNames = [
  "gateway",
  "money",
  "limits",
  "budgets",
  "web API",
  "auth",
  "ingestion",
  "webhooks",
  "alerts",
  "live channel",
  "tool server",
  "optimisation",
  "experiments",
  "attribution and ROI",
  "verification and loop",
  "security",
  "reliability",
  "operation",
  "dashboard",
] as const;

export type Area = (typeof areaNames)[number];

function parseRow(line: string): Requirement {
  const [id = "", areaName, sentence = ""] = line.split("\t");
  const area = areaNames.find(name => name === areaName);
  if (area === undefined || sentence === "") throw new Error(`requirements.tsv: cannot read "${line}"`);
  return { id, area, sentence };
}

const table = readFileSync(join(import.meta.dir, "requirements.tsv"), "utf8");

export const requirements: readonly Requirement[] = table.trim().split("\n").slice(1).map(parseRow);

export const idsOf = (area: Area): readonly string[] =>
  requirements.filter(requirement => requirement.area === area).map(({ id }) => id);

/** A listed area counts as complete, except for ids that wait for another feature, each with the reason. */
export interface Claim {
  readonly area: Area;
  readonly awaiting: Readonly<Record<string, string>>;
}

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
  { area: "tool server", awaiting: {} },
  { area: "optimisation", awaiting: {} },
  { area: "experiments", awaiting: {} },
  { area: "attribution and ROI", awaiting: {} },
  { area: "verification and loop", awaiting: {} },
  { area: "security", awaiting: {} },
  {
    area: "reliability",
    awaiting: {
      "REL-009": "measured by `npm run bench -- analytics`: ten million events are no test",
    },
  },
  { area: "dashboard", awaiting: {} },
  {
    area: "operation",
    awaiting: {
      "OPS-004": "proven by running `npm test` on a fresh clone, which a test cannot do from within",
    },
  },
];

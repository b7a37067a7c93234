/** The conditions, evaluated on the numbers. Something that could not be measured has not been shown to hold. */
import { medianOf, type PacedLatencies } from "./measures/measure-paced.ts";
import type { TargetResult } from "./measures/target-result.ts";
import type { TargetName } from "./targets/target.ts";

export type Verdict = "PASS" | "FAIL" | "NOT MEASURED";

export interface Condition {
  readonly text: string;
  readonly verdict: Verdict;
  readonly numbers: string;
}

const MAX_RESIDENT_MB = 150;
const MAX_GROWTH_MB = 5;
const MAX_ALL_MB = 200;

type Results = ReadonlyMap<TargetName, TargetResult>;

interface Rule {
  readonly text: string;
  readonly unit: string;
  /** The target that the number is compared with; without `peer` the limit is absolute. */
  readonly peer?: TargetName;
  readonly ours: (result: TargetResult) => number | null;
  readonly factor: number;
  /** Added to the bound. */
  readonly plus?: number;
}

const cpuPerCall = (result: TargetResult): number | null => result.sustained?.cpuUsPerCall ?? null;
const addedP50AtOne = (result: TargetResult): number | null => result.latencyAtOne?.added?.p50Us ?? null;
const cpuPerStream = (result: TargetResult): number | null => result.streams?.cpuMsPerStream ?? null;

const cpuOfAll = ({ sustained }: TargetResult): number | null =>
  sustained === null ? null : sustained.cpuUsPerCall + (sustained.othersCpuUsPerCall ?? 0);
const addedP99AtOne = ({ latencyAtOne }: TargetResult): number | null =>
  latencyAtOne === null || latencyAtOne.quietRounds === 0 ? null : (latencyAtOne.added?.p99Us ?? null);
const growth = (result: TargetResult): number | null => result.sustained?.growthMb ?? null;

const rules: readonly Rule[] = [
  {
    text: "CPU per call at most 1/10 of Portkey's",
    unit: "µs",
    peer: "portkey",
    ours: cpuPerCall,
    factor: 0.1,
  },
  {
    text: "CPU per call at most 6 × nginx's, measured alternately",
    unit: "µs",
    peer: "nginx",
    ours: result => result.cpuUsInTurns,
    factor: 6,
  },
  {
    text: "added latency p50 at one connection at most half of Portkey's",
    unit: "µs",
    peer: "portkey",
    ours: addedP50AtOne,
    factor: 0.5,
  },
  {
    text: "CPU per stream at most half of Portkey's",
    unit: "ms",
    peer: "portkey",
    ours: cpuPerStream,
    factor: 0.5,
  },
  {
    text: `memory under ${MAX_RESIDENT_MB} MB throughout`,
    unit: "MB",
    ours: result => result.peakResidentMb,
    factor: MAX_RESIDENT_MB,
  },
  {
    text: `memory flat over the second half of the calls (trend at most ${MAX_GROWTH_MB} MB)`,
    unit: "MB",
    ours: growth,
    factor: MAX_GROWTH_MB,
  },
  {
    text: "CPU per call of all processes at most 7 × nginx's (100 µs where nginx takes 14)",
    unit: "µs",
    peer: "nginx",
    ours: cpuOfAll,
    factor: 7,
  },
  {
    text: `memory of all processes at most ${MAX_ALL_MB} MB at rest after the calls`,
    unit: "MB",
    ours: ({ idle }) => idle?.memoryMb ?? null,
    factor: MAX_ALL_MB,
  },
  {
    text: "CPU of all processes when idle at most 1 % of a core",
    unit: "%",
    ours: ({ idle }) => (idle === null ? null : 100 * idle.cpu),
    factor: 1,
  },
  {
    text: "added latency p99 at one connection within 2 ms of nginx's, in rounds with under 2 % steal",
    unit: "µs",
    peer: "nginx",
    ours: addedP99AtOne,
    factor: 1,
    plus: 2000,
  },
  {
    text: "CPU per stream at most 2.5 × nginx's, measured alternately",
    unit: "ms",
    peer: "nginx",
    ours: result => result.streamMsInTurns,
    factor: 2.5,
  },
];

/** `skipped`: targets that were deliberately skipped; a condition about one of them is not a failure. */
export function judge(results: Results, skipped: ReadonlySet<TargetName>): Condition[] {
  return rules.map(rule => judgeRule(rule, results, skipped));
}

function judgeRule(rule: Rule, results: Results, skipped: ReadonlySet<TargetName>): Condition {
  const numberOf = (name: TargetName): number | null => {
    const result = results.get(name);
    return result === undefined ? null : rule.ours(result);
  };
  const ours = numberOf("tollgate");
  const peer = rule.peer === undefined ? 1 : numberOf(rule.peer);
  if (ours === null || peer === null) {
    const missing = ours === null ? "tollgate" : rule.peer;
    const onPurpose = missing !== undefined && skipped.has(missing);
    return {
      text: rule.text,
      verdict: onPurpose ? "NOT MEASURED" : "FAIL",
      numbers: `${missing} was not measured`,
    };
  }
  const bound = peer * rule.factor + (rule.plus ?? 0);
  const against = rule.peer === undefined ? "" : `, ${rule.peer} ${format(peer)} ${rule.unit}`;
  return {
    text: rule.text,
    verdict: ours <= bound ? "PASS" : "FAIL",
    numbers: `${format(ours)} ${rule.unit} against a bound of ${format(bound)} ${rule.unit}${against}`,
  };
}

function format(value: number): string {
  return value.toFixed(Math.abs(value) < 10 ? 2 : 1);
}

/** What may come with every call, and how much more CPU it may cost than a call without it. */
const extras = [
  {
    name: "budgets",
    without: "tollgate",
    factor: 1.1,
    text: "CPU per call with budgets at most 1.1 × without",
  },
  {
    name: "verification",
    without: "tollgate",
    factor: 1.05,
    text: "CPU per unsampled call of a verification at most 1.05 × without",
  },
  {
    name: "node",
    without: "budgets",
    factor: 1.1,
    text: "CPU per call on one of several gateways, with shipping and allowances, at most 1.1 × on a single machine",
  },
] as const;

/** All are measured alternately. */
export function judgeExtras(
  cpuUs: ReadonlyMap<TargetName, number>,
  skipped: ReadonlySet<TargetName>,
): Condition[] {
  return extras.map(({ name, factor, text, ...extra }) => {
    const without = cpuUs.get(extra.without);
    const measured = cpuUs.get(name);
    if (without === undefined || measured === undefined) {
      const onPurpose = skipped.has("tollgate") || skipped.has("nginx");
      return { text, verdict: onPurpose ? "NOT MEASURED" : "FAIL", numbers: "it was not measured" };
    }
    const bound = without * factor;
    return {
      text: `${text}, measured alternately`,
      verdict: measured <= bound ? "PASS" : "FAIL",
      numbers: `${format(measured)} µs against a bound of ${format(bound)} µs, without ${format(without)} µs`,
    };
  });
}

/** What may happen beside calls, and how much longer they may take: the median against the slowest round without it. */
const paced = [
  { name: "sampling", plusUs: 0, text: "unchanged while a tenth of the calls is sampled" },
  { name: "node", plusUs: 0, text: "unchanged on one of several gateways" },
  { name: "redis", plusUs: 5000, text: "at most 5 ms longer on one whose burst limits are counted in Redis" },
] as const;

export function judgePaced(latencies: PacedLatencies | null, skipped: ReadonlySet<TargetName>): Condition[] {
  return paced.flatMap(({ name, plusUs, text: what }) =>
    (["p50Us", "p99Us"] as const).map(which => {
      const text = `latency ${which.slice(0, 3)} ${what}`;
      const plain = latencies?.get("tollgate");
      const rounds = latencies?.get(name);
      if (plain === undefined || rounds === undefined) {
        const verdict = skipped.has("tollgate") ? "NOT MEASURED" : "FAIL";
        return { text, verdict, numbers: "it was not measured" };
      }
      const without = plain.map(round => round[which]);
      const ours = medianOf(rounds, which);
      const range = `${format(Math.min(...without))} to ${format(Math.max(...without))} µs`;
      return {
        text,
        verdict: ours <= Math.max(...without) + plusUs ? "PASS" : "FAIL",
        numbers: `${format(ours)} µs, without ${format(medianOf(plain, which))} µs (${range} by round)`,
      };
    }),
  );
}

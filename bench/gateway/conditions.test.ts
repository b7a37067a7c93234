import { describe, expect, it } from "bun:test";
import { judge, judgePaced } from "./conditions.ts";
import type { PacedLatencies } from "./measures/measure-paced.ts";
import type { TargetResult } from "./measures/target-result.ts";
import type { TargetName } from "./targets/target.ts";

interface Numbers {
  readonly cpuUs: number;
  readonly addedUs: number;
  readonly streamMs: number;
  readonly halfMb: number;
  readonly endMb: number;
  readonly peakMb: number;
  readonly othersUs?: number;
  readonly allMb?: number;
  readonly idlePct?: number;
  readonly addedP99Us?: number;
  readonly quietRounds?: number;
}

function result(name: TargetName, numbers: Numbers): TargetResult {
  return {
    name,
    title: name,
    version: null,
    streamsVersion: null,
    error: null,
    sustained: {
      calls: 200_000,
      callsPerSecond: 1,
      cpuUsPerCall: numbers.cpuUs,
      othersCpuUsPerCall: numbers.othersUs ?? null,
      residentMbAtHalf: numbers.halfMb,
      residentMbAtEnd: numbers.endMb,
      growthMb: numbers.endMb - numbers.halfMb,
      othersResidentMb: null,
      stolen: 0,
    },
    cpuUsInTurns: numbers.cpuUs,
    idle: { cpu: (numbers.idlePct ?? 0) / 100, memoryMb: numbers.allMb ?? 0 },
    latencyAtOne: {
      p50Us: 0,
      p99Us: 0,
      added: { p50Us: numbers.addedUs, p99Us: numbers.addedP99Us ?? 0 },
      quietRounds: numbers.quietRounds ?? 3,
    },
    latencyAtMany: null,
    streams: {
      streams: 1,
      cpuMsPerStream: numbers.streamMs,
      firstChunkP50Us: 0,
      addedFirstChunkP50Us: null,
    },
    streamMsInTurns: numbers.streamMs,
    held: null,
    peakResidentMb: numbers.peakMb,
  };
}

const peer = { halfMb: 1, endMb: 1, peakMb: 1 };
const nginx = result("nginx", { cpuUs: 20, addedUs: 40, streamMs: 0.9, ...peer });
const portkey = result("portkey", { cpuUs: 1_500, addedUs: 1_000, streamMs: 6, ...peer });
const good = { cpuUs: 100, addedUs: 100, streamMs: 2, halfMb: 80, endMb: 84, peakMb: 120 };

function verdicts(ours: Numbers): string[] {
  const results = [nginx, portkey, result("tollgate", ours)];
  const byName = new Map(results.map(each => [each.name, each]));
  return judge(byName, new Set()).map(({ verdict }) => verdict);
}

describe("judge", () => {
  it("passes every condition if every number is within its limit", () => {
    expect(new Set(verdicts(good))).toEqual(new Set(["PASS"]));
  });

  it.each([
    ["CPU per call above a tenth of Portkey's, and above six times nginx's", { cpuUs: 151 }, [0, 1, 6]],
    ["CPU per call above six times nginx's", { cpuUs: 121 }, [1]],
    ["added latency above half of Portkey's", { addedUs: 501 }, [2]],
    ["CPU per stream above half of Portkey's and 2.5 times nginx's", { streamMs: 3.1 }, [3, 10]],
    ["CPU per stream above 2.5 times nginx's", { streamMs: 2.3 }, [10]],
    ["a peak above the limit", { peakMb: 150.1 }, [4]],
    ["growth above the limit", { endMb: 85.1 }, [5]],
    ["CPU of all processes above seven times nginx's", { othersUs: 41 }, [6]],
    ["memory of all processes above the limit", { allMb: 200.1 }, [7]],
    ["CPU when idle above the limit", { idlePct: 1.1 }, [8]],
    ["p99 more than 2 ms above nginx's", { addedP99Us: 2001 }, [9]],
    ["p99 without a quiet round", { quietRounds: 0 }, [9]],
  ] as const)("fails only on %s", (_, change, failing) => {
    const failed = verdicts({ ...good, ...change }).flatMap((verdict, index) =>
      verdict === "FAIL" ? [index] : [],
    );
    expect(failed).toEqual([...failing]);
  });

  it("fails a condition whose numbers are missing, unless the target was deliberately skipped", () => {
    const withoutPortkey = new Map<TargetName, TargetResult>([
      ["nginx", nginx],
      ["tollgate", result("tollgate", good)],
    ]);
    expect(judge(withoutPortkey, new Set())[0]?.verdict).toBe("FAIL");
    expect(judge(withoutPortkey, new Set<TargetName>(["portkey"]))[0]?.verdict).toBe("NOT MEASURED");
  });
});

describe("judgePaced", () => {
  const round = (p50Us: number, p99Us: number) => ({ p50Us, p99Us });
  const tollgate = [round(400, 900), round(420, 1500), round(410, 1000)];
  const verdicts = (latencies: PacedLatencies) =>
    judgePaced(latencies, new Set()).map(({ verdict }) => verdict);

  it("passes if the median is within the rounds without, and Redis within its 5 ms", () => {
    const within = [round(415, 1200), round(410, 900), round(500, 9000)];
    const redis = [round(5420, 6500), round(5420, 6500), round(5420, 6500)];
    const all = new Map<TargetName, typeof within>([
      ["tollgate", tollgate],
      ["sampling", within],
      ["node", within],
      ["redis", redis],
    ]);
    expect(verdicts(all)).toEqual(["PASS", "PASS", "PASS", "PASS", "PASS", "PASS"]);
  });

  it("fails if it is above the slowest of them", () => {
    const above = [round(421, 1501), round(422, 1600), round(300, 500)];
    const redis = [round(5421, 6501)];
    const all = new Map<TargetName, typeof above>([
      ["tollgate", tollgate],
      ["sampling", above],
      ["node", above],
      ["redis", redis],
    ]);
    expect(verdicts(all)).toEqual(["FAIL", "FAIL", "FAIL", "FAIL", "FAIL", "FAIL"]);
  });

  it("fails if it was not measured, unless it was skipped", () => {
    expect(judgePaced(null, new Set())[0]?.verdict).toBe("FAIL");
    expect(judgePaced(null, new Set<TargetName>(["tollgate"]))[0]?.verdict).toBe("NOT MEASURED");
  });
});

import { seededRandom } from "@tollgate/core/statistics/seeded-random";
import { RecentCalls } from "@tollgate/gateway/ingestion/recent-calls";
import { makeTraffic, type Traffic, type TrafficOptions } from "./make-traffic.ts";

/** Latencies from a few hundred milliseconds to seconds, at 200 calls per second: about 250 equal calls in flight. */
const base: TrafficOptions = {
  calls: 20_000,
  callsPerSecond: 200,
  directShare: 0.5,
  distinctTokens: 1,
  tracedShare: 0,
  spanShare: 1,
  clockOffsetMs: 0,
};

const mixes: readonly (readonly [what: string, change: Partial<TrafficOptions>])[] = [
  ["tokens as they vary in chats, half of the calls elsewhere", { distinctTokens: 5000 }],
  ["100 sizes of calls, half of them elsewhere", { distinctTokens: 100 }],
  ["all calls equal, half of them elsewhere", {}],
  ["the same, client's clock 100 ms ahead", { clockOffsetMs: 100 }],
  ["the same, client's clock 2 s ahead", { clockOffsetMs: 2000 }],
  ["tokens as they vary in chats, one span of ten exported", { distinctTokens: 5000, spanShare: 0.1 }],
  ["100 sizes of calls, one span of ten exported", { distinctTokens: 100, spanShare: 0.1 }],
  ["all calls equal, one span of ten exported", { spanShare: 0.1 }],
  ["all calls equal, one span of ten exported, with traceparent", { spanShare: 0.1, tracedShare: 1 }],
  ["all calls equal, clock 2 s ahead, with traceparent", { clockOffsetMs: 2000, tracedShare: 1 }],
];

interface Result {
  /** The share of gateway calls' spans that was linked. */
  readonly recall: number;
  /** The share of other calls' spans that was wrongly linked. */
  readonly wrong: number;
  /** The effect on totals, as a share of all calls: calls missing, and calls counted twice. */
  readonly lost: number;
  readonly doubled: number;
}

function measure({ events, spans }: Traffic): Result {
  const recent = new RecentCalls({
    has: () => false,
    isLinked: () => false,
    gatewayCall: () => null,
    gatewayCallAt: () => null,
    newestSeq: () => 0,
    answeredAfter: () => [],
    callsAfter: () => [],
  });
  for (const event of events) recent.add(event);
  const counts = { through: 0, linked: 0, direct: 0, wrong: 0 };
  for (const { call, isDirect } of spans) {
    const match = recent.find("org", "live", call);
    if (match) recent.link(match, call);
    counts[isDirect ? "direct" : "through"]++;
    if (match) counts[isDirect ? "wrong" : "linked"]++;
  }
  const calls = events.length + counts.direct;
  const difference = counts.through - counts.linked - counts.wrong;
  return {
    recall: counts.linked / counts.through,
    wrong: counts.wrong / counts.direct,
    lost: Math.max(0, -difference) / calls,
    doubled: Math.max(0, difference) / calls,
  };
}

/** How many spans are linked, correctly and wrongly, when many equal calls are in flight. */
export async function runTelemetryBench(): Promise<number> {
  console.log("| calls | linked | wrongly linked | calls missing | counted twice |");
  console.log("| --- | --- | --- | --- | --- |");
  for (const [what, change] of mixes) {
    const { recall, wrong, lost, doubled } = measure(makeTraffic({ ...base, ...change }, seededRandom(7)));
    console.log(`| ${[what, ...[recall, wrong, lost, doubled].map(percent)].join(" | ")} |`);
  }
  return 0;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}

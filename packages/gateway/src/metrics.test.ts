import { describe, expect, it } from "bun:test";
import { microcents } from "@tollgate/core/money/money";
import { sampleSettlement } from "../../../test/support/rows/sample-event.ts";
import { Metrics } from "./metrics.ts";

const cost = microcents(7);

function rendered(): string[] {
  const metrics = new Metrics();
  metrics.call(sampleSettlement("a", { latency_ms: 7, cost_microcents: cost }).event);
  metrics.call(sampleSettlement("b", { latency_ms: 70_000, cost_microcents: cost, status: "timeout" }).event);
  metrics.call(sampleSettlement("c", { latency_ms: 1, cost_microcents: cost, mode: "test" }).event);
  const unpriced = { cost_basis: "unpriced", cost_microcents: microcents(0) } as const;
  metrics.call(sampleSettlement("d", { latency_ms: 1, mode: "test", ...unpriced }).event);
  metrics.rejected(429, "rate_limited");
  metrics.rejected(429, "rate_limited");
  metrics.admitted(0.3);
  metrics.allowance("failed");
  return metrics
    .render({ svc_gateway_unsettled_events: 3, svc_gateway_config_age_seconds: null })
    .split("\n");
}

describe("metrics", () => {
  it("OPS-015 counts calls by status, and rejected calls", () => {
    const call = `svc_gateway_calls_total{mode="live",provider="openai",endpoint="/v1/chat/completions"`;
    expect(rendered()).toContain(`${call},status="success"} 1`);
    expect(rendered()).toContain(`${call},status="timeout"} 1`);
    expect(rendered()).toContain(`svc_gateway_rejected_total{status="429",code="rate_limited"} 2`);
    expect(rendered()).toContain("svc_gateway_unsettled_events 3");
  });

  it("OPS-015 shows 0 before the first refusal, failure or verification: `increase()` does not see a first sample", () => {
    const fresh = new Metrics().render({}).split("\n");
    expect(fresh).toContain(`svc_gateway_rejected_total{status="429",code="budget_exceeded"} 0`);
    expect(fresh).toContain(
      `svc_gateway_verification_calls_total{mode="live",source="shadow",status="error"} 0`,
    );
    expect(fresh.filter(line => line.startsWith("svc_gateway_calls_total"))).toEqual([]);
    const calls = rendered().filter(line => line.startsWith("svc_gateway_calls_total"));
    expect(calls).toHaveLength(2 * 5);
    expect(calls).toContainEqual(expect.stringMatching(/\{mode="live",.*,status="error"\} 0$/));
  });

  it("GW-045 counts test calls and their cost separately", () => {
    expect(rendered()).toContain(`svc_gateway_cost_microcents_total{mode="live"} 14`);
    expect(rendered()).toContain(`svc_gateway_cost_microcents_total{mode="test"} 7`);
  });

  it("counts calls of unknown cost, time before sending, and transactions of shared budgets", () => {
    expect(rendered()).toContain(`svc_gateway_unpriced_calls_total{mode="live"} 0`);
    expect(rendered()).toContain(`svc_gateway_unpriced_calls_total{mode="test"} 1`);
    expect(rendered()).toContain(`svc_gateway_added_latency_ms_bucket{le="0.25"} 0`);
    expect(rendered()).toContain(`svc_gateway_added_latency_ms_bucket{le="0.5"} 1`);
    expect(rendered()).toContain(`svc_gateway_allowance_transactions_total{outcome="failed"} 1`);
  });

  it("has no sample for an unknown value", () => {
    expect(rendered().filter(line => line.includes("config_age"))).toEqual([
      "# TYPE svc_gateway_config_age_seconds gauge",
    ]);
  });

  it("renders a cumulative histogram whose last bucket counts all calls", () => {
    const buckets = rendered().flatMap(
      line => /duration_ms_bucket\{le="(.+)"\} (\d+)/.exec(line)?.slice(1) ?? [],
    );
    expect(buckets.slice(0, 4)).toEqual(["5", "2", "10", "3"]);
    expect(buckets.slice(-4)).toEqual(["60000", "3", "+Inf", "4"]);
    expect(rendered()).toContain("svc_gateway_call_duration_ms_sum 70009");
  });

  it("OPS-015 is Prometheus text: every sample has a name, a number, and a type declared before it", () => {
    const types = new Set<string>();
    for (const line of rendered().filter(line => line !== "")) {
      const type = /^# TYPE (\w+) (counter|gauge|histogram)$/.exec(line);
      if (type?.[1]) types.add(type[1]);
      if (line.startsWith("#")) continue;
      const name = /^(\w+)(\{(\w+="[^"]*",?)+\})? -?\d+(\.\d+)?$/.exec(line)?.[1] ?? line;
      expect(types).toContain(name.replace(/_(bucket|sum|count)$/, ""));
    }
  });
});

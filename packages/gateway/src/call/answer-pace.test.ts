import { describe, expect, it } from "bun:test";
import { DEFAULT_TOKENS_PER_SECOND } from "@tollgate/core/pricing/estimate";
import type { RecentPace } from "@tollgate/storage/ledger/recent-events";
import { AnswerPace } from "./answer-pace.ts";

const answer: RecentPace = {
  org_id: "org",
  mode: "live",
  status: "success",
  usage_source: "provider",
  provider: "openai",
  model: "o3",
  output_tokens: 800,
  latency_ms: 10_000,
};

/** A fifth of the default. */
const MIN_TOKENS_PER_SECOND = 40;

describe("the pace of a model", () => {
  it("MON-019 is learned per model from complete answers, starting from a cautious default", () => {
    const pace = new AnswerPace();
    expect(pace.tokensPerSecond("org", "openai", "o3")).toBe(DEFAULT_TOKENS_PER_SECOND);
    pace.learn(answer);
    // A single answer proves little: the default weighs as much as three.
    expect(pace.tokensPerSecond("org", "openai", "o3")).toBe(170);
    for (let count = 0; count < 60; count++) pace.learn(answer);
    expect(pace.tokensPerSecond("org", "openai", "o3")).toBeCloseTo(80, 0);
    expect(pace.tokensPerSecond("org", "openai", "gpt-5")).toBe(DEFAULT_TOKENS_PER_SECOND);
    expect(pace.tokensPerSecond("org", "xai", "o3")).toBe(DEFAULT_TOKENS_PER_SECOND);
  });

  it("adapts to a model that becomes faster", () => {
    const pace = new AnswerPace();
    pace.learn(answer);
    for (let count = 0; count < 60; count++) pace.learn({ ...answer, latency_ms: 5000 });
    expect(pace.tokensPerSecond("org", "openai", "o3")).toBeCloseTo(160, 0);
  });

  it("ignores answers that were cut, estimated, simulated or too short", () => {
    const pace = new AnswerPace();
    pace.learn({ ...answer, status: "cancelled" });
    pace.learn({ ...answer, usage_source: "estimated" });
    pace.learn({ ...answer, mode: "test" });
    pace.learn({ ...answer, output_tokens: 20 });
    pace.learn({ ...answer, latency_ms: 0 });
    expect(pace.tokensPerSecond("org", "openai", "o3")).toBe(DEFAULT_TOKENS_PER_SECOND);
  });

  it("ignores a pace that no model can have", () => {
    const pace = new AnswerPace();
    for (let count = 0; count < 200; count++) {
      pace.learn({ ...answer, latency_ms: 1 });
      pace.learn({ ...answer, model: "slow", latency_ms: 3_600_000 });
    }
    expect(pace.tokensPerSecond("org", "openai", "o3")).toBeCloseTo(2000, 0);
    expect(pace.tokensPerSecond("org", "openai", "slow")).toBe(MIN_TOKENS_PER_SECOND);
  });

  it("MON-019 is per organization: another's answers do not change it", () => {
    const pace = new AnswerPace();
    for (let count = 0; count < 60; count++) pace.learn({ ...answer, latency_ms: 80_000 });
    expect(pace.tokensPerSecond("another", "openai", "o3")).toBe(DEFAULT_TOKENS_PER_SECOND);
  });

  it("MON-019 never falls below a fifth of the default, and recovers when answers are faster", () => {
    const pace = new AnswerPace();
    for (let count = 0; count < 200; count++) pace.learn({ ...answer, latency_ms: 80_000 });
    expect(pace.tokensPerSecond("org", "openai", "o3")).toBe(MIN_TOKENS_PER_SECOND);
    for (let count = 0; count < 60; count++) pace.learn(answer);
    expect(pace.tokensPerSecond("org", "openai", "o3")).toBeCloseTo(80, 0);
  });

  it("does not grow with the number of made-up models", () => {
    const pace = new AnswerPace();
    for (let count = 0; count < 10_001; count++) pace.learn({ ...answer, model: `invented-${count}` });
    expect(pace.tokensPerSecond("org", "openai", "invented-0")).toBe(DEFAULT_TOKENS_PER_SECOND);
    expect(pace.tokensPerSecond("org", "openai", "invented-10000")).toBe(170);
  });
});

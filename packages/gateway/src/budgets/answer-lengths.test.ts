import { describe, expect, it } from "bun:test";
import { keptObjects } from "../../../../test/support/kept-objects.ts";
import { sampleSettlement } from "../../../../test/support/rows/sample-event.ts";
import { AnswerLengths } from "./answer-lengths.ts";

const recent = (agent_key: string, output_tokens: number) => ({
  agent_key,
  model: "gpt-4o-mini",
  output_tokens,
});

describe("the usual length of answers", () => {
  it("BUD-016 is learned per agent and model, from complete answers only", () => {
    const lengths = new AnswerLengths({ recentAnswers: () => [] });
    for (let count = 0; count < 10; count++) {
      lengths.learn(sampleSettlement(`a${count}`, { output_tokens: 50 }).event);
      lengths.learn(sampleSettlement(`b${count}`, { output_tokens: 900, status: "cancelled" }).event);
      lengths.learn(sampleSettlement(`c${count}`, { output_tokens: 70, agent_key: "other" }).event);
    }
    expect(lengths.usual("org", "live", "default", "gpt-4o-mini")).toEqual({ mean: 50, spread: 0 });
    expect(lengths.usual("org", "live", "other", "gpt-4o-mini")).toEqual({ mean: 70, spread: 0 });
    expect(lengths.usual("org", "live", "default", "gpt-4o")).toBeNull();
    expect(lengths.usual("org", "test", "default", "gpt-4o-mini")).toBeNull();
  });

  it("is read from the ledger once, so a restart loses nothing", () => {
    let reads = 0;
    const lengths = new AnswerLengths({
      recentAnswers() {
        reads++;
        return Array.from({ length: 20 }, () => recent("default", 33));
      },
    });
    expect(lengths.usual("org", "live", "default", "gpt-4o-mini")).toEqual({ mean: 33, spread: 0 });
    expect(lengths.usual("org", "live", "other", "gpt-4o-mini")).toBeNull();
    expect(reads).toBe(1);
  });

  it("does not grow with the number of made-up agents", async () => {
    const lengths = new AnswerLengths({ recentAnswers: () => [] });
    const { event } = sampleSettlement("x");
    const agents = 100_000;
    const kept = await keptObjects(() => {
      for (let count = 0; count < agents; count++)
        lengths.learn({ ...event, agent_key: `invented-${count}` });
    });
    expect(kept).toBeLessThan(agents / 2);
  });
});

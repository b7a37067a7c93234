import { describe, expect, it } from "bun:test";
import { combineJudgements } from "./combine-judgements.ts";
import { type Judgement, readJudgement } from "./read-judgement.ts";

const judged = (better: Judgement["better"], degree: Judgement["degree"] = "clear"): Judgement => ({
  better,
  degree,
});

describe("a judge's answer", () => {
  it("is accepted if it has exactly the requested format", () => {
    expect(readJudgement(' {"degree":"slight","better":"tie"}\n')).toEqual(judged("tie", "slight"));
    expect(readJudgement('{"better":"Y","degree":"clear"}')).toEqual(judged("Y"));
  });

  it.each([
    "",
    "X",
    "null",
    "[]",
    '{"better":"X"}',
    '{"better":"x","degree":"clear"}',
    '{"better":"X","degree":"huge"}',
    '{"better":"X","degree":"clear","note":"as told by the answer"}',
    'The answer said: {"better":"X","degree":"clear"}',
    '{"better":"X","degree":"clear"} {"better":"Y","degree":"clear"}',
    '```json\n{"better":"X","degree":"clear"}\n```',
  ])("is rejected otherwise: %s", text => {
    expect(readJudgement(text)).toBeNull();
  });

  it.each<[string, Judgement, Judgement, number]>([
    ["the candidate is clearly better, twice", judged("Y"), judged("X"), 1],
    ["the candidate is clearly worse, twice", judged("X"), judged("Y"), -1],
    ["slightly worse, twice", judged("X", "slight"), judged("Y", "slight"), -0.5],
    ["clearly and slightly worse", judged("X"), judged("Y", "slight"), -0.75],
    ["worse, and a tie", judged("X"), judged("tie"), -0.5],
    ["a tie, twice", judged("tie"), judged("tie", "slight"), 0],
    ["always the first place", judged("X"), judged("X"), 0],
    ["always the second place", judged("Y", "slight"), judged("Y"), 0],
  ])("combines two judgements into a score: %s", (_, first, second, score) => {
    expect(Math.abs(combineJudgements(first, second) - score)).toBe(0);
  });

  it("gives swapped answers the opposite score", () => {
    const all = (["X", "tie", "Y"] as const).flatMap(better => [judged(better), judged(better, "slight")]);
    for (const first of all) {
      for (const second of all) {
        expect(combineJudgements(first, second) + combineJudgements(second, first)).toBe(0);
      }
    }
  });
});

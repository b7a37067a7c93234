import { expect, it } from "bun:test";
import { builtInPolicies } from "@tollgate/core/verification/trial-plan";
import { everydayCalls, experimentCalls, loopCall, planVerifications } from "./plan-calls.ts";

const bytesOf = (body: unknown) => JSON.stringify(body).length;

it("the loop's prompt grows with every turn", () => {
  const sizes = Array.from({ length: 50 }, (_, turn) => bytesOf(loopCall(turn).body));
  expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
  expect((sizes.at(-1) ?? 0) / (sizes[0] ?? 1)).toBeGreaterThan(5);
});

it("an experiment's sessions have two calls each, and the same seed gives the same ones", () => {
  const calls = experimentCalls(1, 100);
  expect(new Set(calls.map(({ session }) => session)).size).toBe(100);
  expect(calls).toHaveLength(200);
  expect(experimentCalls(1, 100)).toEqual(calls);
});

it("verifications use calls without a session, short enough to be sampled; one policy asks for too much", () => {
  const planned = planVerifications(1);
  for (const { agent, prodModel, call } of planned) {
    const calls = Array.from({ length: 100 }, (_, index) => call(index));
    expect(new Set(calls.map(({ body }) => JSON.stringify(body.messages))).size).toBe(100);
    for (const { agent: caller, session, body } of calls) {
      expect([caller, session, body.model]).toEqual([agent, null, prodModel]);
      expect(bytesOf(body)).toBeLessThan(256 * 1024);
    }
  }
  const [quick] = builtInPolicies;
  const margins = planned.map(({ policy }) => policy.margin);
  expect([Math.max(...margins), Math.min(...margins) < quick.margin / 4]).toEqual([quick.margin, true]);
});

it("everyday calls are of many agents and sizes, half of them of the favourite", () => {
  const calls = everydayCalls(1, 90, "research-agent");
  expect(calls.filter(({ agent }) => agent === "research-agent").length).toBeGreaterThanOrEqual(45);
  expect(new Set(calls.map(({ agent }) => agent)).size).toBeGreaterThan(8);
  const sizes = calls.map(({ body }) => bytesOf(body));
  expect(Math.max(...sizes) / Math.min(...sizes)).toBeGreaterThan(50);
  expect(calls.some(({ body }) => body.stream === true)).toBe(true);
});

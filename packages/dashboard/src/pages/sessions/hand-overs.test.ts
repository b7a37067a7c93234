import { describe, expect, it } from "bun:test";
import { toSteps } from "./hand-overs.ts";
import type { Call } from "./use-session-calls.ts";

const call = (agent_key: string, atMs: number, latency_ms: number) =>
  ({ id: `${agent_key} ${atMs}`, agent_key, latency_ms, created_at: new Date(atMs).toISOString() }) as Call;

describe("the steps of a session", () => {
  it("name who handed over, and the pause before each call", () => {
    const steps = toSteps([call("writer", 3000, 1000), call("planner", 0, 1000), call("writer", 3500, 1500)]);
    expect(
      steps.map(({ call: { agent_key }, handedOverBy, pauseMs }) => [agent_key, handedOverBy, pauseMs]),
    ).toEqual([
      ["planner", null, null],
      ["writer", "planner", 2000],
      ["writer", null, -500],
    ]);
    expect(steps.map(({ offset, length }) => [offset, length])).toEqual([
      [0, 0.2],
      [0.6, 0.2],
      [0.7, 0.3],
    ]);
  });

  it("of one instant have a place", () => {
    expect(toSteps([call("a", 0, 0)])).toMatchObject([{ offset: 0, length: 0 }]);
    expect(toSteps([])).toEqual([]);
  });
});

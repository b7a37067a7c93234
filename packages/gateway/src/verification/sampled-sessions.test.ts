import { expect, it } from "bun:test";
import { SESSION_WINDOW_MS } from "@tollgate/core/verification/trial-plan";
import { SampledSessions } from "./sampled-sessions.ts";

it("a session is sampled within its window, by each verification for itself; a call without one always", () => {
  const sessions = new SampledSessions();
  expect(sessions.isOver("v", "s", 1000)).toBe(false);
  expect(sessions.isOver("v", "s", 1000 + SESSION_WINDOW_MS - 1)).toBe(false);
  expect(sessions.isOver("v", "s", 1000 + SESSION_WINDOW_MS)).toBe(true);
  expect(sessions.isOver("w", "s", 1000 + SESSION_WINDOW_MS)).toBe(false);
  expect(sessions.isOver("v", null, 1000 + 9 * SESSION_WINDOW_MS)).toBe(false);
});

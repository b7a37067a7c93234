import { expect, it } from "bun:test";
import { SESSION_WINDOW_MS } from "@tollgate/core/verification/trial-plan";
import { SampledSessions } from "./sampled-sessions.ts";

it("each verification samples a session within its own window; a call without a session always", () => {
  const sessions = new SampledSessions();
  expect(sessions.isOver("v", "s", 1000)).toBe(false);
  expect(sessions.isOver("v", "s", 1000 + SESSION_WINDOW_MS - 1)).toBe(false);
  expect(sessions.isOver("v", "s", 1000 + SESSION_WINDOW_MS)).toBe(true);
  expect(sessions.isOver("w", "s", 1000 + SESSION_WINDOW_MS)).toBe(false);
  expect(sessions.isOver("v", null, 1000 + 9 * SESSION_WINDOW_MS)).toBe(false);
});

import { expect, it } from "bun:test";
import { breakerStateOf } from "./breaker-state.ts";
import { WATCH_MS } from "./switch-watch.ts";

const inForce = { appliedAtMs: 1000, undoneAtMs: null, rollbackReason: null, isBreakerOff: false };
const end = 1000 + WATCH_MS;

it.each([
  ["watching", inForce, end - 1, end],
  ["over", inForce, end, null],
  ["off", { ...inForce, isBreakerOff: true }, end - 1, null],
  ["over", { ...inForce, isBreakerOff: true }, end, null],
  ["over", { ...inForce, undoneAtMs: 2000 }, 3000, null],
  ["over", { ...inForce, undoneAtMs: 2000, rollbackReason: "undone" }, 3000, null],
  ["tripped", { ...inForce, undoneAtMs: 2000, rollbackReason: "latency" }, end + 1, null],
  ["tripped", { ...inForce, undoneAtMs: 2000, rollbackReason: "error_rate", isBreakerOff: true }, 3000, null],
] as const)("LOOP-034 the breaker of a switch is %s: %o at %d", (state, applied, nowMs, untilMs) => {
  expect(breakerStateOf(applied, nowMs)).toEqual({ state, untilMs });
});

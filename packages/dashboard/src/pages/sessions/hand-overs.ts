import type { Call } from "./use-session-calls.ts";

export interface SessionStep {
  readonly call: Call;
  /** The agent of the previous call, if it was another one. */
  readonly handedOverBy: string | null;
  /** From the end of the call before to the start of this one; negative: they overlap. null: the first. */
  readonly pauseMs: number | null;
  /** Position and length within the session, 0 to 1. */
  readonly offset: number;
  readonly length: number;
}

const startOf = ({ created_at }: Call) => Date.parse(created_at);
const endOf = (call: Call) => startOf(call) + call.latency_ms;

/** The calls of a session, oldest first, with who handed over to whom, on one time scale. */
export function toSteps(calls: readonly Call[]): readonly SessionStep[] {
  const ordered = calls.toSorted((a, b) => startOf(a) - startOf(b));
  const firstMs = Math.min(...ordered.map(startOf));
  const lengthMs = Math.max(1, Math.max(...ordered.map(endOf)) - firstMs);
  return ordered.map((call, index) => {
    const before = ordered[index - 1];
    return {
      call,
      handedOverBy: before !== undefined && before.agent_key !== call.agent_key ? before.agent_key : null,
      pauseMs: before === undefined ? null : startOf(call) - endOf(before),
      offset: (startOf(call) - firstMs) / lengthMs,
      length: call.latency_ms / lengthMs,
    };
  });
}

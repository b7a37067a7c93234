import type { Finish } from "../canonical/answer.ts";

const finishes: ReadonlyMap<string, Finish> = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop_sequence"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["tool_use", "tool_calls"],
  ["refusal", "refusal"],
  ["pause_turn", "pause"],
  // Beta: the turn stops after the context was summarized, and the client continues it.
  ["compaction", "pause"],
]);

/** An unknown reason is a normal end: the answer itself is complete. */
export function mapFinishReason(stopReason: string): Finish {
  return finishes.get(stopReason) ?? "stop";
}

import type { Finish } from "../../canonical/answer.ts";

const stopReasons: Readonly<Record<Finish, string>> = {
  stop: "end_turn",
  stop_sequence: "stop_sequence",
  length: "max_tokens",
  tool_calls: "tool_use",
  refusal: "refusal",
  content_filter: "refusal",
  pause: "pause_turn",
  error: "end_turn",
};

/** Elsewhere a model that declines may simply stop; here the reason must state it. */
export function mapFinishReason(finish: Finish, hasRefusal: boolean): string {
  return hasRefusal && finish === "stop" ? "refusal" : stopReasons[finish];
}

import type { Finish } from "../../canonical/answer.ts";

export function mapFinishReason(finish: Finish): "stop" | "length" | "tool_calls" | "content_filter" {
  switch (finish) {
    case "stop":
    case "stop_sequence":
    case "pause":
    case "error":
      return "stop";
    case "length":
      return "length";
    case "tool_calls":
      return "tool_calls";
    case "refusal":
    case "content_filter":
      return "content_filter";
    default:
      return finish satisfies never;
  }
}

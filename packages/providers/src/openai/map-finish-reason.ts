import type { Finish } from "../canonical/answer.ts";

/**
 * `stop` is ambiguous: with a tool forced by name the reason stays `stop` despite the call, and a refusal has no reason
 * of its own. The content of the answer decides.
 */
export function mapFinishReason(reason: string, saw: { toolCall: boolean; refusal: boolean }): Finish {
  switch (reason) {
    case "length":
      return "length";
    case "tool_calls":
    case "function_call":
      return "tool_calls";
    case "content_filter":
      return "content_filter";
    default:
      if (saw.toolCall) return "tool_calls";
      return saw.refusal ? "refusal" : "stop";
  }
}

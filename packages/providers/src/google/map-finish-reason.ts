import type { Finish } from "../canonical/answer.ts";

/** Google sends `STOP` even after function calls, where clients expect `tool_calls`. */
export function mapFinishReason(finishReason: string, sawCall: boolean): Finish {
  switch (finishReason) {
    case "STOP":
      return sawCall ? "tool_calls" : "stop";
    case "MAX_TOKENS":
    case "CONTINUATION": // Gemini 4 would continue in another request.
      return "length";
    case "SAFETY":
    case "RECITATION":
    case "BLOCKLIST":
    case "PROHIBITED_CONTENT":
    case "SPII":
      return "content_filter";
    default:
      // MALFORMED_FUNCTION_CALL, UNEXPECTED_TOOL_CALL, OTHER… and any new one: not a clean end.
      return finishReason.startsWith("IMAGE_") ? "content_filter" : "error";
  }
}

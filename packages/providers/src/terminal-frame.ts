import type { SseFrame } from "./sse.ts";

const terminalEvents = new Set([
  "message_stop",
  "response.completed",
  "response.incomplete",
  "response.failed",
]);

/**
 * The provider sends nothing after this frame, although its connection may stay open. Gemini has no such frame: the end
 * of the body is the end.
 */
export function isTerminalFrame(frame: SseFrame): boolean {
  return frame.data === "[DONE]" || (frame.event !== null && terminalEvents.has(frame.event));
}

import type { SseFrame } from "./sse.ts";

const terminalEvents = new Set([
  "message_stop",
  "response.completed",
  "response.incomplete",
  "response.failed",
]);

/**
 * After this frame the provider has nothing more to say, though its connection may stay open. Gemini has no such
 * frame: there the end of the body is the end.
 */
export function isTerminalFrame(frame: SseFrame): boolean {
  return frame.data === "[DONE]" || (frame.event !== null && terminalEvents.has(frame.event));
}

const chunk = (choice: Record<string, unknown>, more: Record<string, unknown> = {}) =>
  `data: ${JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "gpt-4o",
    choices: [{ index: 0, delta: {}, finish_reason: null, ...choice }],
    ...more,
  })}\n\n`;

export const completion = (model: string, content: string) => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model,
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
});

/** A whole streamed answer. */
export const STREAM = [
  chunk({ delta: { role: "assistant", content: "Tides." } }),
  chunk({ finish_reason: "stop" }, { usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 } }),
  "data: [DONE]\n\n",
].join("");

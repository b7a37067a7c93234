/** A streamed chat completion: its request, and the parts of an answer by o3. */

export const chat = (model: string, more: object = {}, prompt = "hello") =>
  JSON.stringify({ model, stream: true, messages: [{ role: "user", content: prompt }], ...more });

export const chunk = (fields: object) =>
  `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "o3", ...fields })}\n\n`;
export const role = chunk({
  model: undefined,
  choices: [{ index: 0, delta: { role: "assistant", content: "" } }],
});
export const says = (content: string) => chunk({ choices: [{ index: 0, delta: { content } }] });
export const stop = chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
export const used = (output: number) =>
  chunk({
    choices: [],
    usage: {
      prompt_tokens: 1000,
      completion_tokens: output,
      total_tokens: 1000 + output,
      completion_tokens_details: { reasoning_tokens: output - 5 },
    },
  });
export const done = "data: [DONE]\n\n";

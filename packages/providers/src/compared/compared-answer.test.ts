import { describe, expect, it } from "bun:test";
import { readComparedAnswer } from "./compared-answer.ts";

const images = [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" }, index: 0 }];
const whole = (fields: object) =>
  JSON.stringify({
    id: "x",
    model: "m",
    choices: [
      { index: 0, message: { role: "assistant", content: "Here.", ...fields }, finish_reason: "stop" },
    ],
  });
const streamed = (...deltas: object[]) =>
  [
    ...deltas.map(delta => ({ choices: [{ index: 0, delta, finish_reason: null }] })),
    { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
  ]
    .map(frame => `data: ${JSON.stringify({ id: "x", model: "m", ...frame })}\n\n`)
    .join("");

describe("readComparedAnswer", () => {
  it("reads the text of a chat answer, whole or streamed", () => {
    const given = { answer: { kind: "given", text: "Here.", toolCalls: [] }, isCut: false };
    expect(readComparedAnswer("openai-chat", whole({}), false)).toEqual(given as never);
    expect(readComparedAnswer("openai-chat", whole({ images: [] }), false)).toEqual(given as never);
    expect(readComparedAnswer("openai-chat", streamed({ content: "Here." }), true)).toEqual(given as never);
  });

  it("does not compare answers with images: their texts may be equal, or empty", () => {
    expect(readComparedAnswer("openai-chat", whole({ images }), false)).toBeNull();
    expect(readComparedAnswer("openai-chat", streamed({ content: "Here." }, { images }), true)).toBeNull();
  });

  it("reads an answer that is not JSON as a failed one", () => {
    expect(readComparedAnswer("openai-chat", "<html>", false)?.answer).toEqual({ kind: "failed" });
  });
});

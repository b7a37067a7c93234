import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { answerToolName } from "../answer-tool.ts";
import type { AnswerEvent } from "../canonical/answer.ts";
import { decodeAnswer } from "./decode-answer.ts";
import { decodeStream } from "./decode-stream.ts";

function frame(parts: unknown[], finishReason?: string): unknown {
  return {
    candidates: [{ content: { role: "model", parts }, ...(finishReason && { finishReason }), index: 0 }],
    modelVersion: "gemini-2.5-flash",
    responseId: "RESP",
  };
}

function decodeAll(frames: unknown[]): AnswerEvent[] {
  const decoder = decodeStream();
  return [...frames.flatMap(each => decoder.decode(each)), ...decoder.end()];
}

const start: AnswerEvent = { kind: "start", id: "RESP", model: "gemini-2.5-flash" };

describe("decodeStream", () => {
  it("GW-020 emits start once, text as it arrives, and finish at the end", () => {
    expect(
      decodeAll([frame([{ text: "Hel" }]), frame([{ text: "lo" }]), frame([{ text: "" }], "STOP")]),
    ).toEqual([
      start,
      { kind: "text", text: "Hel" },
      { kind: "text", text: "lo" },
      { kind: "finish", finish: "stop" },
    ]);
  });

  it("GW-020 emits each call completely, numbered, with its signature", () => {
    const frames = [
      frame([{ text: "Hm.", thought: true, thoughtSignature: "S0" }]),
      frame([{ functionCall: { name: "a", args: { x: 1 } }, thoughtSignature: "S1" }]),
      frame([{ functionCall: { name: "b", id: "own" } }], "STOP"),
    ];
    expect(decodeAll(frames)).toEqual([
      start,
      { kind: "reasoning", text: "Hm." },
      { kind: "reasoning_signature", signature: "S0" },
      { kind: "tool_start", index: 0, id: "call_RESP_0", name: "a", signature: "S1" },
      { kind: "tool_arguments", index: 0, fragment: '{"x":1}' },
      { kind: "tool_start", index: 1, id: "own", name: "b" },
      { kind: "tool_arguments", index: 1, fragment: "{}" },
      { kind: "finish", finish: "tool_calls" },
    ]);
  });

  it("GW-020 emits the signature of a text, even after its end", () => {
    const frames = [frame([{ text: "Hello" }]), frame([{ text: "", thoughtSignature: "S" }], "STOP")];
    expect(decodeAll(frames)).toEqual([
      start,
      { kind: "text", text: "Hello" },
      { kind: "text", text: "", signature: "S" },
      { kind: "finish", finish: "stop" },
    ]);
  });

  it("GW-020 emits only the first structured answer, and no text after it", () => {
    const call = (a: number) => ({ functionCall: { name: answerToolName, args: { a } } });
    expect(decodeAll([frame([call(1), call(2)]), frame([call(3), { text: "Done." }], "STOP")])).toEqual([
      start,
      { kind: "text", text: '{"a":1}' },
      { kind: "finish", finish: "stop" },
    ]);
  });

  it("loses no text that follows a finish reason", () => {
    expect(
      decodeAll([frame([{ text: "a" }], "STOP"), frame([{ text: "b" }], "MAX_TOKENS")]).slice(1),
    ).toEqual([
      { kind: "text", text: "a" },
      { kind: "text", text: "b" },
      { kind: "finish", finish: "length" },
    ]);
  });

  it("does not finish a stream that was cut off", () => {
    expect(decodeAll([frame([{ text: "half" }])])).toEqual([start, { kind: "text", text: "half" }]);
    expect(decodeAll([])).toEqual([]);
  });

  it("emits a blocked prompt as a finish without parts", () => {
    const blocked = { promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, responseId: "RESP" };
    expect(decodeAll([blocked])).toEqual([
      { kind: "start", id: "RESP", model: "" },
      { kind: "finish", finish: "content_filter" },
    ]);
  });

  it("ends with google's error, and emits nothing after it", () => {
    const failure = { error: { code: 503, message: "Overloaded.", status: "UNAVAILABLE" } };
    expect(decodeAll([frame([{ text: "a" }], "STOP"), failure, frame([{ text: "b" }], "STOP")])).toEqual([
      start,
      { kind: "text", text: "a" },
      { kind: "error", error: { status: 503, message: "Overloaded.", type: "UNAVAILABLE" } },
    ]);
  });

  it("ignores frames that are not objects", () => {
    expect(decodeAll([null, "x", [], frame([{ text: "a" }], "STOP")])).toHaveLength(3);
  });

  it("emits the same content as the whole answer, for any chunking", () => {
    const part = fc.oneof(
      fc.record({ text: fc.string() }),
      fc.record({ text: fc.string(), thought: fc.constant(true) }),
      fc.record({ text: fc.string(), thought: fc.constant(true), thoughtSignature: fc.constant("SIG") }),
      fc.record({
        functionCall: fc.record({ name: fc.constant("f"), args: fc.dictionary(fc.string(), fc.nat()) }),
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.array(part)), groups => {
        const frames = [...groups.map(group => frame(group)), frame([], "STOP")];
        const events = decodeAll(frames);
        const whole = decodeAnswer(frame(groups.flat(), "STOP"));

        const streamed = { text: "", reasoning: "", calls: [] as string[] };
        for (const event of events) {
          if (event.kind === "text" || event.kind === "reasoning") streamed[event.kind] += event.text;
          if (event.kind === "tool_start") streamed.calls[event.index] = `${event.id} ${event.name} `;
          if (event.kind === "tool_arguments") streamed.calls[event.index] += event.fragment;
        }
        const meant = { text: "", reasoning: "", calls: [] as string[] };
        for (const each of whole.parts) {
          if (each.kind === "text" || each.kind === "reasoning") meant[each.kind] += each.text;
          if (each.kind === "tool_call") meant.calls.push(`${each.id} ${each.name} ${each.arguments}`);
        }
        expect(streamed).toEqual(meant);
        expect(events.at(-1)).toEqual({ kind: "finish", finish: whole.finish });
      }),
    );
  });
});

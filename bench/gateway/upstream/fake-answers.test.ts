import { describe, expect, it } from "bun:test";
import { HttpReader } from "../generator/http-reader.ts";
import {
  CHUNKS_PER_STREAM,
  completionAnswer,
  streamWritesPlain,
  streamWritesWithUsage,
} from "./fake-answers.ts";

function bodyOf(bytes: Buffer): string {
  let body = "";
  let ended = 0;
  const reader = new HttpReader({
    head: () => {},
    body: piece => {
      body += piece.toString("utf8");
    },
    end: () => {
      ended += 1;
    },
  });
  reader.push(bytes);
  expect(ended).toBe(1);
  return body;
}

describe("the fake upstream's answers", () => {
  it("are a whole completion with usage", () => {
    expect(JSON.parse(bodyOf(completionAnswer))).toMatchObject({
      object: "chat.completion",
      usage: { total_tokens: 176 },
    });
  });

  it.each([
    ["without usage", streamWritesPlain, CHUNKS_PER_STREAM],
    ["with usage in a chunk of its own", streamWritesWithUsage, CHUNKS_PER_STREAM + 1],
  ] as const)("are a whole stream %s", (_, writes, chunks) => {
    const frames = bodyOf(Buffer.concat([...writes])).split("\n\n");
    expect(frames.pop()).toBe("");
    expect(frames.pop()).toBe("data: [DONE]");
    expect(frames.length).toBe(chunks);
    for (const frame of frames) {
      expect(JSON.parse(frame.slice("data: ".length))).toMatchObject({ object: "chat.completion.chunk" });
    }
  });
});

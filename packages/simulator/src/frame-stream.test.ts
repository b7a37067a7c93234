import { describe, expect, it } from "bun:test";
import { ConnectionFault } from "./connection-fault.ts";
import { frameStream } from "./frame-stream.ts";

const never = new AbortController().signal;
const decoder = new TextDecoder();

describe("frameStream", () => {
  it("sends one frame per chunk, in order", async () => {
    const chunks: string[] = [];
    for await (const chunk of frameStream(["a", "b", "c"], { paceMs: 0, signal: never })) {
      chunks.push(decoder.decode(chunk));
    }
    expect(chunks).toEqual(["a", "b", "c"]);
  });

  it("pauses before each frame", async () => {
    const steps: (string | number)[] = [];
    const setTimer = (run: () => void, ms: number) => {
      steps.push(ms);
      run();
      return () => {};
    };
    for await (const chunk of frameStream(["a", "b", "c"], { paceMs: 5, signal: never, setTimer })) {
      steps.push(decoder.decode(chunk));
    }
    expect(steps).toEqual([5, "a", 5, "b", 5, "c"]);
  });

  it("fails with the given error after the last frame", async () => {
    const fault = new ConnectionFault("ECONNRESET");
    const reader = frameStream(["a"], { paceMs: 0, signal: never, breaksWith: fault }).getReader();
    expect(decoder.decode((await reader.read()).value)).toBe("a");
    await expect(reader.read()).rejects.toBe(fault);
  });

  it("fails with the caller's abort reason, even during a pause", async () => {
    const controller = new AbortController();
    const reader = frameStream(["a", "b"], { paceMs: 60_000, signal: controller.signal }).getReader();
    const read = reader.read();
    controller.abort(new Error("gone"));
    await expect(read).rejects.toThrow("gone");
  });

  it("ends its pause when the reader cancels, so that no timer keeps the process alive", async () => {
    const stream = frameStream(["a", "b"], { paceMs: 60_000, signal: never });
    const reader = stream.getReader();
    const read = reader.read();
    await reader.cancel();
    expect((await read).done).toBe(true);
  });
});

import { describe, expect, it } from "bun:test";
import fc from "fast-check";
import { openai } from "../../openai/provider.ts";
import { SseSplitter } from "../../sse.ts";
import { openaiChat } from "./dialect.ts";

const frame = (json: object) => `data: ${JSON.stringify(json)}\n\n`;
const chunk = (choices: object[], fields: object = { usage: null }) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "gpt-4o-2024-08-06",
  choices,
  ...fields,
});
const said = (text: string, index = 0) => chunk([{ index, delta: { content: text }, finish_reason: null }]);
const finished = (index = 0) => chunk([{ index, delta: {}, finish_reason: "stop" }]);
const counts = { prompt_tokens: 8, completion_tokens: 2, total_tokens: 10 };
const usageChunk = chunk([], { usage: counts });
const DONE = "data: [DONE]\n\n";
const silence = { status: 504, message: "silent", type: "provider_timeout", code: "c" };
const silenceFrame =
  'data: {"error":{"message":"silent","type":"provider_timeout","param":null,"code":"c"}}\n\n';

function open(wantsStreamUsage: boolean, choices = 1) {
  const meter = openai.conversation.meter(choices);
  const stream = openaiChat.openNativeStream(meter, {
    model: "m",
    stream: true,
    wantsStreamUsage,
    maxOutputTokens: null,
    choices,
  });
  return { meter, stream };
}

const textOf = (bytes: Uint8Array | string) => Buffer.from(bytes as string).toString("utf8");

/** What is sent immediately, what is sent at the end, and whether the answer was complete. */
function relay(text: string, wantsUsage: boolean, choices = 1) {
  const { meter, stream } = open(wantsUsage, choices);
  const splitter = new SseSplitter();
  let now = "";
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 1 << 20) {
    for (const part of splitter.push(bytes.subarray(at, at + (1 << 20)))) now += textOf(stream.push(part));
  }
  const rest = splitter.end();
  if (rest) now += textOf(stream.push(rest));
  const complete = stream.end();
  return { now, complete, stream, meter, later: complete ? textOf(stream.finish()) : "" };
}

describe("a client that requested usage", () => {
  it("GW-006 GW-008 gets every byte as the provider sent it; only [DONE] waits", () => {
    const body = frame(said("a")) + frame(finished()) + frame(usageChunk);
    const { now, later, complete, meter } = relay(body + DONE, true);
    expect(now).toBe(body);
    expect(later).toBe(DONE);
    expect(complete).toBe(true);
    expect(meter.reading().usage).toEqual({ input: 8, output: 2 });
  });
});

describe("a client that did not request usage", () => {
  it("GW-037 gets a chunk that is too long to store as it came, even if it finishes the answer", () => {
    const audio = { data: "A".repeat(10_000_000) };
    const long = frame(chunk([{ index: 0, delta: { audio }, finish_reason: "stop" }]));
    const { now, later, complete, meter } = relay(long + frame(usageChunk) + DONE, false);
    expect(now === long).toBe(true);
    expect([later, complete]).toEqual([DONE, true]);
    expect(meter.reading().usage).toEqual({ input: 8, output: 2 });
  });

  it("GW-007 gets it on the chunk with the finish_reason, and no chunk with empty choices", () => {
    const { now, later, meter } = relay(
      frame(said("a")) + frame(finished()) + frame(usageChunk) + DONE,
      false,
    );
    expect(now).toBe(frame(said("a")));
    expect(later).toBe(frame({ ...finished(), usage: counts }) + DONE);
    expect(meter.reading().usage).toEqual({ input: 8, output: 2 });
  });

  it("GW-007 of several choices only the last to finish has it", () => {
    const body = frame(finished(1)) + frame(said("a")) + frame(finished(0)) + frame(usageChunk) + DONE;
    const { now, later } = relay(body, false);
    expect(now).toBe(frame(said("a")));
    expect(later).toBe(frame(finished(1)) + frame({ ...finished(0), usage: counts }) + DONE);
  });

  it("GW-007 a finish chunk that already has usage is forwarded unchanged", () => {
    const own = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],  "usage":{"prompt_tokens":1}}\n\n`;
    const { now, later } = relay(frame(said("a")) + own + DONE, false);
    expect(now).toBe(frame(said("a")));
    expect(later).toBe(own + DONE);
  });

  it("gets the unchanged finish chunk if no usage came", () => {
    expect(relay(frame(finished()) + DONE, false).later).toBe(frame(finished()) + DONE);
  });

  it("gets other content of a chunk without choices, after the end if it came there", () => {
    const moderation = { ...chunk([]), moderation: { flagged: false } };
    const body = frame(moderation) + frame(finished()) + frame(usageChunk) + frame(moderation) + DONE;
    const { now, later } = relay(body, false);
    expect(now).toBe(frame(moderation));
    expect(later).toBe(frame({ ...finished(), usage: counts }) + frame(moderation) + DONE);
  });

  it("GW-007 gets no other chunk with empty choices either", () => {
    expect(relay(frame(chunk([])) + frame(said("a")) + DONE, false).now).toBe(frame(said("a")));
  });
});

describe("with and without requested usage", () => {
  for (const wantsUsage of [true, false]) {
    it(`GW-006 sends [DONE] even if the provider forgot it (usage requested: ${wantsUsage})`, () => {
      const { complete, later } = relay(frame(finished()), wantsUsage);
      expect(complete).toBe(true);
      expect(later.endsWith(DONE)).toBe(true);
    });

    it(`detects a stream that was cut off (usage requested: ${wantsUsage})`, () => {
      expect(relay(frame(said("a")), wantsUsage).complete).toBe(false);
      expect(relay(frame(finished(1)), wantsUsage).complete).toBe(false);
      expect(relay("", wantsUsage).complete).toBe(false);
    });

    it(`MON-018 GW-041 detects that one of several choices never finished (usage requested: ${wantsUsage})`, () => {
      const one = frame(said("a")) + frame(said("b", 1)) + frame(finished(0));
      expect(relay(one, wantsUsage, 2).complete).toBe(false);
      expect(relay(one + frame(usageChunk), wantsUsage, 2).complete).toBe(false);
      expect(relay(one + frame(finished(1)), wantsUsage, 2).complete).toBe(true);
      expect(relay(one + DONE, wantsUsage, 2).complete).toBe(true);
    });

    it(`forwards comments and invalid JSON (usage requested: ${wantsUsage})`, () => {
      const body = `: keep-alive\n\ndata: not json\n\ndata: 7\n\nevent: x\n\n`;
      expect(relay(body + DONE, wantsUsage).now).toBe(body);
    });

    it(`omits an incomplete frame, because our next one would be appended to it (${wantsUsage})`, () => {
      expect(relay(`${frame(said("a"))}data: {"choi`, wantsUsage).now).toBe(frame(said("a")));
      expect(relay(": ke", wantsUsage).now).toBe("");
    });

    it(`completes a last frame that lacks its blank line (usage requested: ${wantsUsage})`, () => {
      const whole = frame(said("a"));
      expect(relay(whole.slice(0, -2), wantsUsage).now).toBe(whole);
    });

    it(`reports the provider's failure, and sends it unchanged (usage requested: ${wantsUsage})`, () => {
      const failure = `data: {"error":{"message":"overloaded","type":"server_error"},  "x":1}\n\n`;
      const { now, complete, stream } = relay(
        frame(said("a")) + failure + frame(said("b")) + DONE,
        wantsUsage,
      );
      expect(now).toBe(frame(said("a")));
      expect(complete).toBe(false);
      expect(stream.failure).toEqual({ status: 500, message: "overloaded", type: "server_error" });
      expect(stream.failure && textOf(stream.fail(stream.failure))).toBe(failure);
    });
  }

  it("GW-031 re-encodes xAI's failure, a bare string, in the shape that clients expect", () => {
    const { stream } = relay(`data: {"code":"unavailable","error":"try later"}\n\n`, false);
    expect(stream.failure && textOf(stream.fail(stream.failure))).toBe(
      'data: {"error":{"message":"try later","type":"server_error","param":null,"code":"unavailable"}}\n\n',
    );
  });

  it("sends any other failure in OpenAI's shape", () => {
    expect(textOf(open(false).stream.fail(silence))).toBe(silenceFrame);
  });

  it("GW-033 sends what it withheld for the usage before the failure", () => {
    const last = frame({ choices: [{ index: 0, delta: { content: "last words" }, finish_reason: "stop" }] });
    const { now, stream } = relay(frame(said("a")) + last, false);
    expect(now).toBe(frame(said("a")));
    expect(textOf(stream.fail(silence))).toBe(last + silenceFrame);
  });

  it("GW-006 GW-008 does not depend on chunk boundaries", () => {
    const body = frame(said("né €")) + frame(finished()) + frame(usageChunk) + DONE;
    const bytes = Buffer.from(body);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length)), fc.boolean(), (cuts, wantsUsage) => {
        const whole = relay(body, wantsUsage);
        const { stream, meter } = open(wantsUsage);
        const splitter = new SseSplitter();
        let out = "";
        let from = 0;
        for (const to of [...cuts.sort((a, b) => a - b), bytes.length]) {
          for (const part of splitter.push(bytes.subarray(from, to))) out += textOf(stream.push(part));
          from = to;
        }
        expect(stream.end()).toBe(true);
        expect(out + textOf(stream.finish())).toBe(whole.now + whole.later);
        expect(meter.reading()).toEqual(whole.meter.reading());
      }),
    );
  });
});

import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { gzipSync } from "node:zlib";
import { type CallRoute, callRoutes, nativeChat } from "../support/clients/call-routes.ts";
import { inputTokens, outputTokens } from "../support/clients/wire-formats.ts";
import {
  expectOwnError,
  expectPromptBilled,
  type FaultLab,
  startFaultLab,
} from "../support/labs/fault-lab.ts";
import {
  writeAnswer,
  writeChunk,
  writeChunkedHead,
  writeHead,
  writeLastChunk,
} from "../support/servers/http-bytes.ts";
import type { Step } from "../support/servers/scripted-server.ts";

const pieces = ["Grüße ", "aus ", "東京 ", "🗼!"];
const text = pieces.join("");
const html = "<!doctype html><title>Sign in to the hotel network</title>";

let lab: FaultLab;
beforeAll(async () => {
  lab = await startFaultLab();
});
afterAll(() => lab.stop());

const exactUsage = {
  usage_source: "provider",
  input_tokens: inputTokens,
  output_tokens: outputTokens,
};

async function expectWholeStream(route: CallRoute, answer: Response): Promise<string> {
  expect(answer.status).toBe(200);
  const stream = await answer.text();
  expect(route.client.streamText(stream)).toBe(text);
  expect(await lab.event(answer)).toMatchObject({ status: "success", http_status: 200, ...exactUsage });
  return stream;
}

/** Variants of the same frames that the standard allows, or that senders get away with. */
const spellings: { name: string; write(frames: string[]): string }[] = [
  { name: "CRLF line ends", write: frames => frames.join("").replaceAll("\n", "\r\n") },
  { name: "CR line ends", write: frames => frames.join("").replaceAll("\n", "\r") },
  { name: "comments between frames", write: frames => frames.map(frame => `: ping\n\n${frame}`).join("") },
  { name: "a byte order mark", write: frames => `\ufeff${frames.join("")}` },
  { name: "no blank line at the end", write: frames => frames.join("").replace(/\n+$/, "\n") },
  { name: "no line end at the end", write: frames => frames.join("").replace(/\n+$/, "") },
  {
    name: "ids and retry fields",
    write: frames => frames.map(frame => `id: 7\nretry: 10\n${frame}`).join(""),
  },
  { name: "blank lines in plenty", write: frames => frames.join("\n\n\n") },
  { name: "no space after the colon", write: frames => frames.join("").replaceAll("data: ", "data:") },
];

for (const { name, write } of spellings) {
  describe(`MON-005 a stream with ${name} is decoded and metered`, () => {
    for (const route of callRoutes) {
      it(route.name, async () => {
        const sent = write(route.wire.frames(pieces));
        lab.play([writeChunkedHead(), writeChunk(sent), writeLastChunk]);
        await expectWholeStream(route, await lab.call(route, true));
      });
    }
  });
}

describe("GW-037 unknown lines", () => {
  const garbage = "what is this\nneither: this\n\ndata: not json\n\n";
  for (const route of callRoutes) {
    const frames = route.wire.frames(pieces);
    const sent = [...frames.slice(0, 2), garbage, ...frames.slice(2)].join("");
    if (route.isNative) {
      it(`pass through: ${route.name}`, async () => {
        lab.play([writeChunkedHead(), writeChunk(sent), writeLastChunk]);
        const answer = await lab.call(route, true);
        expect(await answer.text()).toContain(garbage);
        expect(await lab.event(answer)).toMatchObject({ status: "success", ...exactUsage });
      });
    } else {
      it(`GW-033 end a translated stream with our own error: ${route.name}`, async () => {
        const answer = await lab.callInTwoSteps(
          route,
          [writeChunkedHead(), writeChunk(frames.slice(0, 2).join(""))],
          [writeChunk(garbage), { do: "hang" }],
        );
        expect(answer.status).toBe(200);
        const stream = await answer.text();
        expect(route.client.errorOf(stream)?.message).toContain("could not be understood");
        expect(await lab.event(answer)).toMatchObject({
          status: "error",
          http_status: 200,
          error_code: "provider_invalid_answer",
        });
      });

      it(`GW-032 are a 502 if nothing was sent yet: ${route.name}`, async () => {
        lab.play([writeChunkedHead(), writeChunk(garbage), { do: "hang" }]);
        const answer = await lab.call(route, true);
        await expectOwnError(answer, 502);
        const event = await lab.event(answer);
        expect(event).toMatchObject({
          status: "error",
          http_status: 200,
          error_code: "provider_invalid_answer",
        });
        expectPromptBilled(event);
      });
    }
  }
});

describe("GW-037 text does not depend on chunk boundaries", () => {
  for (const route of callRoutes) {
    it(route.name, async () => {
      const whole = Buffer.from(route.wire.frames(pieces).join(""));
      const from = whole.indexOf("Gr");
      const until = whole.lastIndexOf("!") + 3;
      // One byte per chunk within the characters; each chunk is a separate write.
      const bytes = Array.from(whole.subarray(from, until), byte => writeChunk(Uint8Array.of(byte)));
      lab.play([
        writeChunkedHead(),
        writeChunk(whole.subarray(0, from)),
        ...bytes,
        writeChunk(whole.subarray(until)),
        writeLastChunk,
      ]);
      await expectWholeStream(route, await lab.call(route, true));
    });

    it(`${route.name}, split once at every byte of its characters`, async () => {
      const whole = Buffer.from(route.wire.frames([text]).join(""));
      const from = whole.indexOf("Gr");
      for (let at = from; at < from + Buffer.byteLength(text); at += 1) {
        lab.play([
          writeChunkedHead(),
          writeChunk(whole.subarray(0, at)),
          { do: "wait", ms: 1 },
          writeChunk(whole.subarray(at)),
          writeLastChunk,
        ]);
        await expectWholeStream(route, await lab.call(route, true));
      }
    });
  }
});

/** Responses with status 200 that are not answers. */
const nonAnswers: { name: string; stream: boolean; script(route: CallRoute): Step[] }[] = [
  {
    name: "an HTML page for a plain call",
    stream: false,
    script: () => writeAnswer(200, html, { "content-type": "text/html" }),
  },
  {
    name: "an HTML page for a streamed call",
    stream: true,
    script: () => writeAnswer(200, html, { "content-type": "text/html" }),
  },
  { name: "an empty body for a plain call", stream: false, script: () => writeAnswer(200, "") },
  {
    name: "an empty body for a streamed call",
    stream: true,
    script: () => writeAnswer(200, "", { "content-type": "text/event-stream" }),
  },
  {
    name: "truncated JSON",
    stream: false,
    script: route => writeAnswer(200, route.wire.plain(text).slice(0, -2)),
  },
  {
    name: "bytes that are no gzip",
    stream: false,
    script: route => writeAnswer(200, route.wire.plain(text), { "content-encoding": "gzip" }),
  },
  { name: "an empty 204", stream: false, script: () => [writeHead(204), { do: "end" }] },
];

for (const { name, stream, script } of nonAnswers) {
  describe(`GW-032 MON-018 ${name} is a 502, and its event costs the prompt`, () => {
    for (const route of callRoutes) {
      it(route.name, async () => {
        lab.play(script(route));
        const answer = await lab.call(route, stream);
        await expectOwnError(answer, 502);
        const event = await lab.event(answer);
        expect(event.status).toBe("error");
        expectPromptBilled(event);
        expect(event.http_status).toBe(name.includes("204") ? 204 : 200);
        expect(event.error_code).toMatch(/^provider_(invalid_answer|unreachable)$/);
      });
    }
  });
}

describe("GW-027 MON-018 a truncated plain answer is a 502, and its event costs the prompt", () => {
  const breaks: [string, (body: string) => Step[]][] = [
    [
      "shorter than its length",
      body => [writeHead(200, { "content-length": "9999" }), { do: "write", bytes: body }, { do: "end" }],
    ],
    ["reset", body => [writeChunkedHead("application/json"), writeChunk(body), { do: "reset" }]],
    [
      "without its last chunk",
      body => [writeChunkedHead("application/json"), writeChunk(body), { do: "end" }],
    ],
  ];
  for (const [name, script] of breaks) {
    for (const route of callRoutes) {
      it(`${name}: ${route.name}`, async () => {
        // Of all of it the usage would be billed, if it arrived before the connection broke.
        lab.play(script(route.wire.plain(text).slice(0, 30)));
        const answer = await lab.call(route, false);
        await expectOwnError(answer, 502);
        const event = await lab.event(answer);
        expect(event).toMatchObject({ status: "error", error_code: "provider_unreachable" });
        expectPromptBilled(event);
      });
    }
  }
});

describe("MON-010 JSON instead of a requested stream is a 502, but what was billed is recorded", () => {
  for (const route of callRoutes) {
    it(route.name, async () => {
      lab.play(writeAnswer(200, route.wire.plain(text)));
      const answer = await lab.call(route, true);
      await expectOwnError(answer, 502);
      const event = await lab.event(answer);
      expect(event).toMatchObject({
        status: "error",
        http_status: 200,
        error_code: "provider_invalid_answer",
        ...exactUsage,
      });
      expect(event.cost_microcents).toBeGreaterThan(0);
    });
  }
});

describe("GW-009 an unexpectedly compressed answer is read anyway", () => {
  for (const route of callRoutes) {
    it(`plain: ${route.name}`, async () => {
      lab.play(writeAnswer(200, gzipSync(route.wire.plain(text)), { "content-encoding": "gzip" }));
      const answer = await lab.call(route, false);
      expect(answer.headers.get("content-encoding")).toBeNull();
      expect(route.client.plainText(await answer.text())).toBe(text);
      expect(await lab.event(answer)).toMatchObject({ status: "success", ...exactUsage });
      expect(lab.upstream.connections.at(-1)?.request.headers["accept-encoding"]).toBe("identity");
    });

    it(`streamed: ${route.name}`, async () => {
      const sent = gzipSync(route.wire.frames(pieces).join(""));
      lab.play([
        writeHead(200, {
          "content-type": "text/event-stream",
          "content-encoding": "gzip",
          "content-length": String(sent.length),
        }),
        { do: "write", bytes: sent },
      ]);
      await expectWholeStream(route, await lab.call(route, true));
    });
  }
});

it("MON-010 implausible counts are ignored: the call is estimated, and settled", async () => {
  for (const route of callRoutes) {
    for (const count of ["9007199254740991", "1e300", "-5"]) {
      const absurd = route.wire
        .plain(text)
        .replace(/("(?:prompt_tokens|input_tokens|promptTokenCount)":)11/, `$1${count}`);
      lab.play(writeAnswer(200, absurd));
      const answer = await lab.call(route, false);
      expect(answer.status).toBe(200);
      const event = await lab.event(answer);
      expect(event).toMatchObject({ status: "success", usage_source: "estimated" });
      expect(event.cost_microcents).toBeGreaterThan(0);
      expect(event.cost_microcents).toBeLessThan(1_000_000);
    }
  }
});

it("GW-031 a status that HTTP does not know is a 502", async () => {
  for (const status of [600, 999]) {
    lab.play(writeAnswer(status, '{"error":{"message":"what"}}'));
    const answer = await lab.call(nativeChat, false);
    await expectOwnError(answer, 502);
    expect(await lab.event(answer)).toMatchObject({ status: "error", http_status: status });
  }
});

import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { type CallRoute, callRoutes, nativeChat } from "../support/clients/call-routes.ts";
import { openRawCall } from "../support/clients/raw-call.ts";
import { inputTokens, outputTokens } from "../support/clients/wire-formats.ts";
import { expectPromptBilled, type FaultLab, startFaultLab } from "../support/labs/fault-lab.ts";
import { writeAnswer, writeChunk, writeChunkedHead, writeLastChunk } from "../support/servers/http-bytes.ts";
import type { Step } from "../support/servers/scripted-server.ts";
import { eventually } from "../support/waiting/eventually.ts";

const pieces = ["Grüße ", "aus ", "東京 ", "🗼!"];
const hang: Step = { do: "hang" };
const exactUsage = { usage_source: "provider", input_tokens: inputTokens, output_tokens: outputTokens };
/** Far longer than any test runs: only the client's disconnect ends a call. */
const PROVIDER_TIMEOUT_MS = 3_600_000;

const open = (lab: FaultLab, route: CallRoute, stream: boolean) =>
  openRawCall(
    lab.gateway.url,
    route.path,
    lab.gateway.headers(),
    JSON.stringify(route.body("hello", stream)),
  );

/** The client's close is in the kernel once it has left; a round trip later the gateway has seen it. */
async function leave(lab: FaultLab, call: Awaited<ReturnType<typeof openRawCall>>): Promise<void> {
  call.leave();
  await eventually("the client is gone", () => call.isClosed);
  await lab.inFlight();
  await lab.inFlight();
}

const isSent = (lab: FaultLab) => eventually("the provider has the call", () => lab.openConnections() > 0);

describe("when a streaming client disconnects and the upstream call is aborted", () => {
  let lab: FaultLab;
  beforeAll(async () => {
    lab = await startFaultLab({ providerTimeoutMs: PROVIDER_TIMEOUT_MS });
  });
  afterAll(() => lab.stop());

  const isAborted = () => lab.upstream.connections.at(-1)?.closed;

  const silences: { name: string; httpStatus: number | null; steps: Step[] }[] = [
    { name: "before the head", httpStatus: null, steps: [hang] },
    { name: "before the first frame", httpStatus: 200, steps: [writeChunkedHead(), hang] },
    {
      name: "within the first frame",
      httpStatus: 200,
      steps: [writeChunkedHead(), writeChunk('data: {"half'), hang],
    },
  ];
  for (const { name, httpStatus, steps } of silences) {
    describe(`GW-034 MON-018 disconnecting ${name} aborts the upstream call immediately and costs the prompt`, () => {
      for (const route of callRoutes) {
        it(route.name, async () => {
          lab.play(steps);
          const call = await open(lab, route, true);
          const head = steps.length > 1 ? 1 : 0;
          await eventually(
            "the provider has answered so far",
            () => lab.openConnections() > 0 && (lab.upstream.connections.at(-1)?.bytesWritten ?? 0) >= head,
          );
          call.leave();
          await isAborted();
          const event = await lab.event();
          expect(event).toMatchObject({ status: "cancelled", error_code: null, stream: true });
          expectPromptBilled(event);
          // The head may have been in transit when the client disconnected.
          expect([httpStatus, null]).toContain(event.http_status);
        });
      }
    });
  }

  describe("GW-034 MON-010 disconnecting after any frame aborts immediately, and the text so far is never free", () => {
    for (const route of callRoutes) {
      it(route.name, async () => {
        const frames = route.wire.frames(pieces);
        for (let count = 1; count < frames.length; count += 1) {
          const sent = frames.slice(0, count);
          const seen = pieces.filter(piece => sent.some(frame => frame.includes(piece)));
          lab.play([writeChunkedHead(), ...sent.map(writeChunk), hang]);
          const call = await open(lab, route, true);
          const last = seen.at(-1);
          if (last === undefined) await isSent(lab);
          else await call.until(last);
          call.leave();
          await isAborted();
          const event = await lab.event();
          expect(event).toMatchObject({ status: "cancelled", error_code: null });
          if (event.usage_source !== "provider") expectPromptBilled(event);
          if (last === undefined) continue;
          expect(event.http_status).toBe(200);
          const textTokens = Math.ceil(Buffer.byteLength(seen.join("")) / 4);
          // Google reports the tokens so far with every frame.
          if (route.provider === "google") expect(event.output_tokens).toBeGreaterThanOrEqual(textTokens);
          else if (event.usage_source === "estimated") expect(event.output_tokens).toBe(textTokens);
        }
      });
    }
  });

  describe("GW-034 MON-018 a client that leaves at the end of an answer, before its usage, does not make it an estimate", () => {
    const body = { ...(nativeChat.body("hello", true) as object), stream_options: { include_usage: true } };
    const openChat = () =>
      openRawCall(lab.gateway.url, nativeChat.path, lab.gateway.headers(), JSON.stringify(body));
    const finish = '"finish_reason":"stop"';
    const whole = nativeChat.wire.frames(pieces).join("");
    const end = whole.indexOf("\n\n", whole.indexOf(finish)) + 2;
    const [answer, usage] = [whole.slice(0, end), whole.slice(end)];

    it("if its usage follows", async () => {
      const { promise: left, resolve: goOn } = Promise.withResolvers<void>();
      lab.play([
        writeChunkedHead(),
        writeChunk(answer),
        { do: "until", promise: left },
        writeChunk(usage),
        writeLastChunk,
      ]);
      const call = await openChat();
      await call.until(finish);
      await leave(lab, call);
      goOn();
      const event = await lab.event();
      expect(event).toMatchObject({ status: "cancelled", error_code: null, ...exactUsage });
    });

    it("which is not awaited for long", async () => {
      lab.play([writeChunkedHead(), writeChunk(answer), hang]);
      const call = await openChat();
      await call.until(finish);
      call.leave();
      await isAborted();
      const event = await lab.event();
      expect(event).toMatchObject({ status: "cancelled", error_code: null, usage_source: "estimated" });
    });
  });

  describe("GW-035 a plain call is drained for its exact usage when its client disconnects", () => {
    for (const route of callRoutes) {
      for (const begun of [false, true]) {
        it(`${route.name}, ${begun ? "within the body" : "before the head"}`, async () => {
          const { promise: left, resolve: goOn } = Promise.withResolvers<void>();
          const body = route.wire.plain(pieces.join(""));
          lab.play(
            begun
              ? [
                  writeChunkedHead("application/json"),
                  writeChunk(body.slice(0, 20)),
                  { do: "until", promise: left },
                  writeChunk(body.slice(20)),
                  writeLastChunk,
                ]
              : [{ do: "until", promise: left }, ...writeAnswer(200, body)],
          );
          const call = await open(lab, route, false);
          await isSent(lab);
          await leave(lab, call);
          goOn();
          const event = await lab.event();
          expect(event).toMatchObject({
            status: "cancelled",
            http_status: 200,
            error_code: null,
            ...exactUsage,
          });
          expect(event.cost_microcents).toBeGreaterThan(0);
        });
      }
    }
  });

  it("GW-034 a hundred clients that disconnect at the same time leave a hundred events and no connection", async () => {
    const frames = nativeChat.wire.frames(pieces).slice(0, 3);
    lab.play([writeChunkedHead(), ...frames.map(writeChunk), hang]);
    const calls = await Promise.all(Array.from({ length: 100 }, () => open(lab, nativeChat, true)));
    await Promise.all(calls.map(call => call.until(pieces[0] ?? "")));
    const before = lab.gateway.events().length;
    for (const call of calls) call.leave();
    await eventually("every call is settled", () => lab.gateway.events().length === before + 100);
    await eventually("every connection is closed", () => lab.openConnections() === 0);
    expect(await lab.inFlight()).toBe(0);
    for (const event of lab.gateway.events().slice(before)) {
      expect(event).toMatchObject({ status: "cancelled", usage_source: "estimated" });
    }
  });

  describe("a client that disconnects in the middle of its request makes no call", () => {
    const started: [string, Record<string, string>, string][] = [
      ["with a length", { "content-length": "5000" }, '{"model": "gpt-4o-mini", "mess'],
      ["in chunks", { "transfer-encoding": "chunked" }, '1e\r\n{"model": "gpt-4o-mini", "mess\r\n'],
      ["before any of it", { "content-length": "5000" }, ""],
    ];
    for (const [name, framing, body] of started) {
      it(`GW-038 ${name}`, async () => {
        lab.play(writeAnswer(200, "{}"));
        const { connections } = lab.upstream;
        const sentBefore = connections.length;
        const loggedBefore = lab.gateway.logged.length;
        const headers = { ...lab.gateway.headers(), ...framing };
        const call = await openRawCall(lab.gateway.url, "/v1/chat/completions", headers, body);
        await eventually("the gateway has what there is", async () => {
          const health = await fetch(`${lab.gateway.url}/health`);
          return health.ok;
        });
        call.leave();
        await lab.noEvent();
        expect((await fetch(`${lab.gateway.url}/health`)).status).toBe(200);
        expect(connections.length).toBe(sentBefore);
        expect(lab.gateway.logged.slice(loggedBefore)).toEqual([]);
        const after = await lab.call(nativeChat, false);
        expect(after.status).toBe(200);
        await lab.event(after);
      });
    }
  });
});

describe("GW-035 with SVC_ON_DISCONNECT=drain a streamed call is read to the end for its exact usage", () => {
  let lab: FaultLab;
  /** Has a short timeout; the other one waits as long as a busy machine needs. */
  let impatient: FaultLab;
  beforeAll(async () => {
    lab = await startFaultLab({ onDisconnect: "drain", providerTimeoutMs: 600_000 });
    impatient = await startFaultLab({ onDisconnect: "drain", providerTimeoutMs: 300 });
  });
  afterAll(async () => {
    await lab.stop();
    await impatient.stop();
  });

  for (const route of callRoutes) {
    it(route.name, async () => {
      const frames = route.wire.frames(pieces);
      for (let count = 0; count < frames.length; count += 1) {
        const { promise: left, resolve: goOn } = Promise.withResolvers<void>();
        const seen = pieces.filter(piece => frames.slice(0, count).some(frame => frame.includes(piece)));
        lab.play([
          ...(count === 0 ? [] : [writeChunkedHead(), ...frames.slice(0, count).map(writeChunk)]),
          { do: "until", promise: left },
          ...(count === 0 ? [writeChunkedHead()] : []),
          ...frames.slice(count).map(writeChunk),
          writeLastChunk,
        ]);
        const call = await open(lab, route, true);
        const last = seen.at(-1);
        if (last === undefined) await isSent(lab);
        else await call.until(last);
        await leave(lab, call);
        goOn();
        expect(await lab.event()).toMatchObject({
          status: "cancelled",
          http_status: 200,
          error_code: null,
          ...exactUsage,
        });
      }
    });
  }

  it("but not forever: a provider that falls silent ends it", async () => {
    for (const route of callRoutes) {
      const whole = route.wire.frames(pieces).join("");
      impatient.play([writeChunkedHead(), writeChunk(whole.slice(0, whole.indexOf("aus "))), hang]);
      const call = await open(impatient, route, true);
      await call.until(pieces[0] ?? "");
      call.leave();
      const event = await impatient.event();
      expect(event).toMatchObject({ http_status: 200, usage_source: "estimated" });
      expect(["cancelled", "timeout"]).toContain(event.status);
      expect(event.cost_microcents).toBeGreaterThan(0);
    }
  });

  it("and a plain call whose client left and whose provider hangs is a timeout", async () => {
    impatient.play([hang]);
    const call = await open(impatient, nativeChat, false);
    await isSent(impatient);
    call.leave();
    const event = await impatient.event();
    expect(event.status).toBe("timeout");
    expectPromptBilled(event);
  });
});

import { describe, expect, it } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Event, EventStatus } from "@tollgate/core/event";
import { Ledger } from "@tollgate/storage/ledger/ledger";
import { nativeChat } from "../../support/clients/call-routes.ts";
import { openRawCall } from "../../support/clients/raw-call.ts";
import { type FaultLab, startFaultLab } from "../../support/labs/fault-lab.ts";
import { startTestGateway } from "../../support/labs/test-gateway.ts";
import { sampleIntent } from "../../support/rows/sample-event.ts";
import {
  writeAnswer,
  writeChunk,
  writeChunkedHead,
  writeLastChunk,
} from "../../support/servers/http-bytes.ts";
import type { Script, Step } from "../../support/servers/scripted-server.ts";
import { eventually } from "../../support/waiting/eventually.ts";

/** `Record`: a status added to or removed from the type fails to compile here. */
const documented: Record<EventStatus, string> = {
  success: "the call completed",
  error: "the provider answered with an error, or its answer broke off",
  timeout: "the provider was silent for too long",
  cancelled: "the client left",
  interrupted: "we died, or were stopped",
};

const frames = nativeChat.wire.frames(["Hello ", "there"]);
const beginning: Step[] = [writeChunkedHead(), ...frames.slice(0, 2).map(writeChunk)];
const hang: Step = { do: "hang" };
const whole = writeAnswer(200, nativeChat.wire.plain("Hello"));

interface Ending {
  readonly name: string;
  readonly stream: boolean;
  readonly script: Script;
  /** Further fields of the request. */
  readonly asks?: object;
  /** The client disconnects once it has read this. */
  readonly leavesAfter?: string;
  readonly status: EventStatus;
  readonly httpStatus: number | null;
}

const endings: readonly Ending[] = [
  { name: "a plain answer", stream: false, script: whole, status: "success", httpStatus: 200 },
  {
    name: "a stream to its end",
    stream: true,
    script: [writeChunkedHead(), ...frames.map(writeChunk), writeLastChunk],
    status: "success",
    httpStatus: 200,
  },
  {
    name: "the provider's own error",
    stream: false,
    script: writeAnswer(429, nativeChat.wire.errorBody("slow down")),
    status: "error",
    httpStatus: 429,
  },
  {
    name: "an answer that is none",
    stream: false,
    script: writeAnswer(200, "<html>"),
    status: "error",
    httpStatus: 200,
  },
  { name: "no answer at all", stream: false, script: [{ do: "reset" }], status: "error", httpStatus: null },
  {
    name: "a stream that ends before its end",
    stream: true,
    script: [...beginning, writeLastChunk],
    status: "error",
    httpStatus: 200,
  },
  {
    name: "a stream without [DONE] in which one of two answers has no end",
    stream: true,
    asks: { n: 2 },
    script: [
      writeChunkedHead(),
      ...frames.filter(frame => !frame.includes("[DONE]")).map(writeChunk),
      writeLastChunk,
    ],
    status: "error",
    httpStatus: 200,
  },
  {
    name: "an error inside a stream",
    stream: true,
    script: [...beginning, writeChunk(nativeChat.wire.errorFrame("overloaded")), writeLastChunk],
    status: "error",
    httpStatus: 200,
  },
  { name: "silence instead of a head", stream: false, script: [hang], status: "timeout", httpStatus: null },
  {
    name: "silence within a stream",
    stream: true,
    script: [...beginning, hang],
    status: "timeout",
    httpStatus: 200,
  },
  {
    name: "a client that leaves a stream",
    stream: true,
    script: [...beginning, hang],
    leavesAfter: "Hello ",
    status: "cancelled",
    httpStatus: 200,
  },
];

async function end(lab: FaultLab, { stream, script, asks, leavesAfter }: Ending): Promise<Event> {
  lab.play(script);
  const body = JSON.stringify({ ...nativeChat.body("hello", stream), ...asks });
  const call = await openRawCall(lab.gateway.url, nativeChat.path, lab.gateway.headers(), body);
  if (leavesAfter === undefined) await call.ended();
  else {
    await call.until(leavesAfter);
    call.leave();
  }
  return lab.event();
}

describe("every call ends in one event with one of five statuses", () => {
  it("GW-041 success, error, timeout and cancelled while the gateway runs; interrupted when it is killed or stopped", async () => {
    const seen = new Map<string, Event>();
    const patient = await startFaultLab({ providerTimeoutMs: 600_000 });
    const impatient = await startFaultLab({ providerTimeoutMs: 2000 });
    for (const ending of endings) {
      const lab = ending.status === "timeout" ? impatient : patient;
      const event = await end(lab, ending);
      expect([ending.name, event.status, event.http_status]).toEqual([
        ending.name,
        ending.status,
        ending.httpStatus,
      ]);
      seen.set(event.id, event);
    }
    const events = [patient, impatient].flatMap(lab => lab.gateway.events());
    expect(events).toHaveLength(endings.length);
    await patient.stop();
    await impatient.stop();

    const died = await recovered();
    const stopped = await stoppedMeanwhile();
    for (const event of [died, stopped]) {
      expect(event.status).toBe("interrupted");
      seen.set(event.id, event);
    }
    expect(seen.size).toBe(endings.length + 2);
    const statuses = new Set([...seen.values()].map(({ status }) => status));
    expect([...statuses].sort()).toEqual(["cancelled", "error", "interrupted", "success", "timeout"]);
    expect(Object.keys(documented).sort()).toEqual([...statuses].sort());
  });
});

/** A call was journalled and sent, and then nothing more was written: what `kill -9` leaves behind. */
async function recovered(): Promise<Event> {
  const dataDir = mkdtempSync(join(tmpdir(), "tollgate-status-"));
  const ledger = new Ledger(join(dataDir, "ledger.db"), "normal");
  await ledger.journal(sampleIntent("event-of-the-dead", { prompt_bytes: 400, max_output_tokens: 50 }), null);
  ledger.close();

  const gateway = await startTestGateway({ dataDir });
  const [event, ...more] = gateway.events();
  if (!event) throw new Error("the call left no event");
  expect(more).toEqual([]);
  expect(event).toMatchObject({
    id: "event-of-the-dead",
    error_code: "interrupted",
    usage: { input: 100, output: 50 },
    usage_source: "estimated",
    cost_basis: "estimated",
    cost_microcents: 450, // gpt-4o-mini: 100 × 1.5 + 50 × 6
  });
  expect(gateway.verify()).toMatchObject({ ok: true, open_intents: 0 });
  await gateway.stop("keep files");

  // A second start has nothing left to settle.
  const again = await startTestGateway({ dataDir });
  expect(again.events()).toEqual([event]);
  await again.stop();
  return event;
}

async function stoppedMeanwhile(): Promise<Event> {
  const lab = await startFaultLab();
  lab.play([hang]);
  const { dataDir } = lab.gateway;
  const call = lab.call(nativeChat, false).catch(() => null);
  await eventually("the provider has the call", () => lab.openConnections() > 0);
  await lab.gateway.stop("keep files");
  await call;
  await lab.upstream.stop();
  const after = await startTestGateway({ dataDir });
  const [event, ...more] = after.events();
  expect(more).toEqual([]);
  expect(after.verify()).toMatchObject({ ok: true, open_intents: 0 });
  await after.stop();
  if (!event) throw new Error("the call left no event");
  return event;
}

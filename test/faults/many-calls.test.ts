import { expect, it, onTestFinished } from "bun:test";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { verifyLedger } from "@tollgate/storage/ledger/verify-ledger";
import { nativeChat } from "../support/clients/call-routes.ts";
import { openRawCall } from "../support/clients/raw-call.ts";
import { temporaryFolder } from "../support/labs/temporary-folder.ts";
import { printedKeys, startTollgate } from "../support/processes/tollgate-process.ts";
import { writeAnswer, writeChunk, writeChunkedHead, writeLastChunk } from "../support/servers/http-bytes.ts";
import { serveScript } from "../support/servers/scripted-server.ts";
import { eventually } from "../support/waiting/eventually.ts";

const CALLS = 400;
const folder = temporaryFolder();

it("REL-012 four hundred calls are at the provider at the same time, and all are answered", async () => {
  const { promise: allSent, resolve: goOn } = Promise.withResolvers<void>();
  const provider = await serveScript(request => {
    const held = { do: "until", promise: allSent } as const;
    return request.body.includes('"stream"')
      ? [writeChunkedHead(), held, ...nativeChat.wire.frames(["fine"]).map(writeChunk), writeLastChunk]
      : [held, ...writeAnswer(200, nativeChat.wire.plain("fine"))];
  });
  const dataDir = folder("many");
  const tollgate = startTollgate(dataDir, { SVC_OPENAI_BASE_URL: provider.url });
  onTestFinished(() => tollgate.end());
  const url = await tollgate.ready();
  const headers = {
    authorization: `Bearer ${printedKeys(tollgate.stdout).live[0]}`,
    "x-provider-key": "provider-key-for-tests",
    "content-type": "application/json",
  };
  // Raw sockets, because this process's own fetch allows only 256 at a time.
  const calls = await Promise.all(
    Array.from({ length: CALLS }, (_, at) =>
      openRawCall(url, nativeChat.path, headers, JSON.stringify(nativeChat.body("hello", at % 2 === 0))),
    ),
  );
  await eventually("every call is with the provider", () => provider.connections.length === CALLS);
  expect(provider.connections.filter(({ closedAtMs }) => closedAtMs === null).length).toBe(CALLS);
  goOn();
  for (const call of calls) {
    await call.ended();
    expect(call.text).toStartWith("HTTP/1.1 200");
    expect(call.text).toContain("fine");
  }
  expect(await tollgate.stop()).toBe(0);
  const reader = new LedgerReader(`${dataDir}/ledger.db`);
  const events = reader.after(0, 10_000).map(({ event }) => event);
  expect(events.length).toBe(CALLS);
  for (const event of events) expect(event).toMatchObject({ status: "success", usage_source: "provider" });
  expect(verifyLedger(reader)).toMatchObject({ ok: true, open_intents: 0 });
  reader.close();
  await provider.stop();
});

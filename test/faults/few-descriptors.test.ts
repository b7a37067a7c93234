import { expect, it, onTestFinished } from "bun:test";
import { LedgerReader } from "@tollgate/storage/ledger/ledger-reader";
import { verifyLedger } from "@tollgate/storage/ledger/verify-ledger";
import { builtProgram } from "../../scripts/built-program.ts";
import { nativeChat } from "../support/clients/call-routes.ts";
import { openRawCall } from "../support/clients/raw-call.ts";
import { temporaryFolder } from "../support/labs/temporary-folder.ts";
import { printedKeys, startTollgate } from "../support/processes/tollgate-process.ts";
import { writeAnswer } from "../support/servers/http-bytes.ts";
import { serveScript } from "../support/servers/scripted-server.ts";
import { eventually } from "../support/waiting/eventually.ts";

const DESCRIPTORS = 200;
const CALLS = 260;
const folder = temporaryFolder();

it("a gateway that runs out of file descriptors fails some calls, and neither ends nor bills what it could not send", async () => {
  const { promise: released, resolve: goOn } = Promise.withResolvers<void>();
  const provider = await serveScript([
    { do: "until", promise: released },
    ...writeAnswer(200, nativeChat.wire.plain("fine")),
  ]);
  const dataDir = folder("few");
  const limited = ["sh", "-c", `ulimit -n ${DESCRIPTORS}; exec "$0" "$@"`, builtProgram()];
  const tollgate = startTollgate(dataDir, { SVC_OPENAI_BASE_URL: provider.url }, limited);
  onTestFinished(() => tollgate.end());
  const url = await tollgate.ready();
  const headers = {
    authorization: `Bearer ${printedKeys(tollgate.stdout).live[0]}`,
    "x-provider-key": "provider-key-for-tests",
    "content-type": "application/json",
  };
  const body = JSON.stringify(nativeChat.body("hello", false));
  // None came before: what the first call needs has to be there already.
  const calls = await Promise.all(
    Array.from({ length: CALLS }, () => openRawCall(url, nativeChat.path, headers, body)),
  );
  await eventually("a call fails", () => calls.some(({ text }) => text.startsWith("HTTP/1.1 50")));
  goOn();
  for (const call of calls) await call.ended();
  const answers = calls.map(({ text }) => text.slice("HTTP/1.1 ".length).slice(0, 3));
  expect([...new Set(answers)].filter(status => !["200", "500", "502"].includes(status))).toEqual([]);
  expect(answers).toContain("200");

  const after = await openRawCall(url, nativeChat.path, headers, body);
  await after.ended();
  expect(after.text).toStartWith("HTTP/1.1 200");
  expect(await tollgate.stop()).toBe(0);
  expect(tollgate.stderr).not.toContain("restarting");
  expect(tollgate.stderr).toContain(`this process may open only ${DESCRIPTORS} files`);

  const reader = new LedgerReader(`${dataDir}/ledger.db`);
  const events = reader.after(0, 10_000).map(({ event }) => event);
  expect(events.filter(({ http_status }) => http_status === 200)).toHaveLength(provider.connections.length);
  expect(events.filter(event => event.http_status === null && event.cost_microcents > 0)).toEqual([]);
  expect(verifyLedger(reader)).toMatchObject({ ok: true, open_intents: 0 });
  reader.close();
  await provider.stop();
});

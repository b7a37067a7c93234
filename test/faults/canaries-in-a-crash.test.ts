import { expect, it, onTestFinished } from "bun:test";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { callRoutes } from "../support/clients/call-routes.ts";
import { openRawCall } from "../support/clients/raw-call.ts";
import { temporaryFolder } from "../support/labs/temporary-folder.ts";
import { printedKeys, startTollgate } from "../support/processes/tollgate-process.ts";
import { writeChunk, writeChunkedHead } from "../support/servers/http-bytes.ts";
import { serveScript } from "../support/servers/scripted-server.ts";
import { eventually } from "../support/waiting/eventually.ts";

const folder = temporaryFolder();
const canary = (kind: string) => `canary-${kind}-${randomBytes(12).toString("hex")}`;

it("SEC-001 a gateway that is killed during calls leaves no prompt, answer or key behind", async () => {
  const prompt = canary("prompt");
  const answer = canary("answer");
  const key = canary("key");
  const provider = await serveScript(request => {
    const route = callRoutes.find(({ name }) => request.body.includes(name));
    const frames = route?.wire.frames([answer]).slice(0, 3) ?? [];
    return [writeChunkedHead(), ...frames.map(writeChunk), { do: "hang" }];
  });
  const dataDir = folder("crash");
  const { url: base } = provider;
  const tollgate = startTollgate(dataDir, {
    SVC_OPENAI_BASE_URL: base,
    SVC_ANTHROPIC_BASE_URL: base,
    SVC_GOOGLE_BASE_URL: base,
  });
  onTestFinished(() => tollgate.end());
  const url = await tollgate.ready();
  const headers = {
    authorization: `Bearer ${printedKeys(tollgate.stdout).live[0]}`,
    "x-provider-key": key,
    "content-type": "application/json",
  };
  const calls = await Promise.all(
    callRoutes.map(route =>
      openRawCall(url, route.path, headers, JSON.stringify(route.body(`${route.name} ${prompt}`, true))),
    ),
  );
  await Promise.all(calls.map(call => call.until("HTTP/1.1 200")));
  const killed = tollgate.gatewayPid();
  if (killed === null) throw new Error("the gateway has no process");
  process.kill(killed, "SIGKILL");
  await eventually("it is started again", () => tollgate.stderr.includes("interrupted"));
  const answers = () =>
    fetch(`${url}/health`).then(
      health => health.ok,
      () => false,
    );
  await eventually("it answers again", answers);
  expect(await tollgate.stop()).toBe(0);

  const kept = readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => ({ name: entry.name, content: readFileSync(join(entry.parentPath, entry.name)) }));
  const said = [
    { name: "stdout", content: Buffer.from(tollgate.stdout) },
    { name: "stderr", content: Buffer.from(tollgate.stderr) },
  ];
  for (const { name, content } of [...kept, ...said]) {
    for (const secret of [prompt, answer, key]) {
      if (content.includes(secret)) throw new Error(`${name} holds ${secret}`);
    }
  }
  expect(kept.map(({ name }) => name)).toContain("ledger.db");
  await provider.stop();
});

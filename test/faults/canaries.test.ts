import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type CallRoute, callRoutes, nativeChat } from "../support/clients/call-routes.ts";
import { openRawCall } from "../support/clients/raw-call.ts";
import { expectOwnError, startFaultLab } from "../support/labs/fault-lab.ts";
import { startTestGateway } from "../support/labs/test-gateway.ts";
import { writeAnswer, writeChunk, writeChunkedHead, writeLastChunk } from "../support/servers/http-bytes.ts";
import type { Step } from "../support/servers/scripted-server.ts";

const canary = (kind: string) => `canary-${kind}-${randomBytes(12).toString("hex")}`;
const prompt = canary("prompt");
const answerText = canary("answer");
const providerKey = canary("key");
const secrets = [prompt, answerText, providerKey];
const withKey = { "x-provider-key": providerKey };

/** Every file below a directory, as stored on disk. */
function filesOf(directory: string): { name: string; bytes: Buffer }[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => ({ name: entry.name, bytes: readFileSync(join(entry.parentPath, entry.name)) }));
}

function expectNoSecret(where: string, content: string | Buffer): void {
  for (const secret of secrets) {
    for (const spelling of [secret, Buffer.from(secret).toString("base64").slice(0, -4)]) {
      if (content.includes(spelling)) throw new Error(`${where} holds ${secret}`);
    }
  }
}

/** What a careless provider answers to a bad request: everything that it was sent. */
const echo = `Incorrect API key provided: ${providerKey}. Your prompt was: ${prompt}`;

const hang: Step = { do: "hang" };

/** All possible outcomes of a call. `own`: the gateway's own message, which must not contain any secret. */
const fates: { name: string; stream: boolean; own: boolean; script(route: CallRoute): Step[] }[] = [
  {
    name: "success",
    stream: false,
    own: false,
    script: route => writeAnswer(200, route.wire.plain(answerText)),
  },
  {
    name: "success, streamed",
    stream: true,
    own: false,
    script: route => [writeChunkedHead(), ...route.wire.frames([answerText]).map(writeChunk), writeLastChunk],
  },
  {
    name: "a provider error that echoes key and prompt",
    stream: false,
    own: false,
    script: route => writeAnswer(401, route.wire.errorBody(echo)),
  },
  {
    name: "an error page that echoes key and prompt",
    stream: false,
    own: true,
    script: () => writeAnswer(503, `<html>${echo}</html>`, { "content-type": "text/html" }),
  },
  {
    name: "an error in the stream",
    stream: true,
    own: false,
    script: route => [writeChunkedHead(), writeChunk(route.wire.errorFrame(echo)), hang],
  },
  {
    name: "an answer that is none",
    stream: false,
    own: true,
    script: () => writeAnswer(200, `<html>${echo} ${answerText}`),
  },
  {
    name: "a page in place of a stream",
    stream: true,
    own: true,
    script: () => writeAnswer(200, `<html>${echo} ${answerText}`, { "content-type": "text/html" }),
  },
  {
    name: "a redirect with everything in its address",
    stream: false,
    own: true,
    script: () => writeAnswer(302, echo, { location: `http://127.0.0.1:9/${providerKey}/${prompt}` }),
  },
  { name: "a timeout", stream: false, own: true, script: () => [hang] },
  { name: "a reset", stream: true, own: true, script: () => [{ do: "reset" }] },
  {
    name: "a stream that breaks off",
    stream: true,
    own: false,
    script: route => [
      writeChunkedHead(),
      ...route.wire.frames([answerText]).slice(0, 3).map(writeChunk),
      { do: "wait", ms: 10 },
      { do: "reset" },
    ],
  },
  {
    name: "a stream that falls silent",
    stream: true,
    own: false,
    script: route => [
      writeChunkedHead(),
      ...route.wire.frames([answerText]).slice(0, 3).map(writeChunk),
      hang,
    ],
  },
];

describe("SEC-001 no prompt, answer or provider key is stored or revealed, whatever the outcome of the call", () => {
  it("in any file, log, metric or error of ours", async () => {
    const lab = await startFaultLab({ providerTimeoutMs: 60 });
    const { gateway } = lab;
    for (const route of callRoutes) {
      for (const fate of fates) {
        lab.play(fate.script(route));
        const answer = await lab.call(route, fate.stream, prompt, withKey);
        const body = await answer.text();
        if (fate.own) expectNoSecret(`the answer to ${fate.name}`, body);
        expectNoSecret(`the head of the answer to ${fate.name}`, JSON.stringify([...answer.headers]));
        await lab.event();
      }
      // The client disconnects in the middle, and the simulator answers in test mode.
      lab.play([writeChunkedHead(), ...route.wire.frames([answerText]).slice(0, 3).map(writeChunk), hang]);
      const body = JSON.stringify(route.body(prompt, true));
      const call = await openRawCall(gateway.url, route.path, gateway.headers(withKey), body);
      await call.until("\r\n\r\n");
      call.leave();
      await lab.event();
      const test = { ...withKey, authorization: `Bearer ${gateway.testKey}` };
      await (await gateway.post(route.path, route.body(prompt, true), test)).text();
      await lab.event();

      const refused = [
        await gateway.post(route.path, `{"model": "gpt-4o-mini", "messages": ${prompt}`, withKey),
        await gateway.post(route.path, { ...route.body(prompt, false), model: 7 }, withKey),
        await gateway.post(route.path, route.body(prompt, false), { authorization: `Bearer ${providerKey}` }),
        await gateway.post(route.path, route.body(prompt, false), {
          ...withKey,
          "x-agent-id": prompt.padEnd(257, "!"),
        }),
        await gateway.post(route.path, route.body(prompt, false), { ...withKey, "x-provider": prompt }),
      ];
      for (const answer of refused) {
        expect(answer.status).toBeGreaterThanOrEqual(400);
        expectNoSecret("a refusal", await answer.text());
      }
      await lab.noEvent();
    }
    expect(gateway.events().length).toBe(callRoutes.length * (fates.length + 2));

    for (const { name, bytes } of filesOf(gateway.dataDir)) expectNoSecret(name, bytes);
    expectNoSecret("the log", gateway.logged.join("\n"));
    expectNoSecret("the metrics", await (await fetch(`${gateway.url}/metrics`)).text());
    expectNoSecret("the events", JSON.stringify(gateway.events()));
    await lab.upstream.stop();
    await gateway.stop("keep files");
    const left = filesOf(gateway.dataDir);
    // Stored values are found this way, so what is not found is not stored.
    expect(left.some(({ bytes }) => bytes.includes("gpt-4o-mini-2024-07-18"))).toBe(true);
    for (const { name, bytes } of left) expectNoSecret(`${name}, after the end`, bytes);
    rmSync(gateway.dataDir, { recursive: true });
  });
});

describe("service keys", () => {
  let gateway: Awaited<ReturnType<typeof startTestGateway>>;
  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(() => gateway.stop());

  it("SEC-003 are in no file of the data directory, only as a digest", async () => {
    await gateway.post(nativeChat.path, nativeChat.body("hello", false));
    const files = filesOf(gateway.dataDir);
    for (const key of [gateway.liveKey, gateway.testKey]) {
      for (const { name, bytes } of files) {
        if (bytes.includes(key)) throw new Error(`${name} holds a service key`);
      }
      const digest = createHash("sha256").update(key).digest("hex");
      expect(files.some(({ bytes }) => bytes.includes(digest))).toBe(true);
    }
    expect(gateway.logged.join("\n")).not.toContain(gateway.liveKey);
  });

  it("GW-014 sent as X-Provider-Key are rejected, not echoed, and reach no provider", async () => {
    for (const route of callRoutes) {
      for (const key of [gateway.liveKey, gateway.testKey, "sk_live_unknown", "sk_test_unknown"]) {
        const answer = await gateway.post(route.path, route.body("hello", false), { "x-provider-key": key });
        expect(JSON.stringify([...answer.headers])).not.toContain(key);
        const body = await answer.clone().text();
        expect(body).not.toContain(key);
        await expectOwnError(answer, 400);
      }
    }
    // Nothing listens at the providers' addresses: a call that was sent would be an event.
    expect(gateway.events().filter(({ error_code }) => error_code !== "provider_unreachable")).toEqual([]);
    expect(gateway.events().length).toBe(1);
  });
});

describe("SEC-007 the hashes on events", () => {
  it("are equal for equal requests of one organization, and reveal nothing beyond it", async () => {
    const lab = await startFaultLab();
    const { gateway } = lab;
    lab.play(writeAnswer(200, nativeChat.wire.plain("fine")));
    const other = await gateway.store.createOrganization("other", "enterprise", Date.now());
    const otherKey = (await gateway.store.createKey(other.id, "live", "write", Date.now())).key;
    const body = JSON.stringify({
      model: "gpt-4o-mini",
      messages: [
        { role: "system", content: "You are terse." },
        { role: "user", content: prompt },
      ],
    });
    const ask = async (key: string, text: string) => {
      await (await gateway.post(nativeChat.path, text, { authorization: `Bearer ${key}` })).text();
      return lab.event();
    };
    const first = await ask(gateway.liveKey, body);
    const again = await ask(gateway.liveKey, body);
    const different = await ask(gateway.liveKey, body.replace(prompt, "another prompt"));
    const elsewhere = await ask(otherKey, body);

    expect(first.request_hash).toMatch(/^[0-9a-f]{32}$/);
    expect(first.prefix_hash).toMatch(/^[0-9a-f]{32}$/);
    expect(again.request_hash).toBe(first.request_hash);
    expect(again.prefix_hash).toBe(first.prefix_hash);
    expect(different.request_hash).not.toBe(first.request_hash);
    expect(different.prefix_hash).toBe(first.prefix_hash);
    expect(elsewhere.request_hash).not.toBe(first.request_hash);
    expect(elsewhere.prefix_hash).not.toBe(first.prefix_hash);
    for (const text of [body, prompt, "You are terse."]) {
      for (const algorithm of ["sha256", "sha1", "md5", "sha512"]) {
        const plain = createHash(algorithm).update(text).digest("hex");
        expect(plain).not.toStartWith(first.request_hash ?? "");
        expect(plain).not.toStartWith(first.prefix_hash ?? "");
      }
    }
    await lab.stop();
  });
});

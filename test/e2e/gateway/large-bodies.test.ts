import { afterEach, beforeEach, expect, it } from "bun:test";
import { gzipSync } from "node:zlib";
import { BodyRoom } from "@tollgate/core/wire/body-room";
import { sendBytes } from "../../support/clients/send-bytes.ts";
import { startTestGateway, type TestGateway } from "../../support/labs/test-gateway.ts";
import { completion } from "../../support/servers/chat-answers.ts";
import { type ServedProvider, serveProvider } from "../../support/servers/serve-provider.ts";
import { eventually } from "../../support/waiting/eventually.ts";

const MB = 1_000_000;
const OVERLOADED = { error: "too many large requests are in progress; send this one again later" };

let provider: ServedProvider;
let gateway: TestGateway;
let answerAll: PromiseWithResolvers<void>;

beforeEach(async () => {
  answerAll = Promise.withResolvers();
  provider = serveProvider("openai", {
    records: false,
    answer: async () => {
      await answerAll.promise;
      return Response.json(completion("gpt-4o-mini", "done"));
    },
  });
  gateway = await startTestGateway({
    baseUrls: { openai: provider.url },
    bodyRoom: new BodyRoom(16 * MB),
  });
});
afterEach(async () => {
  await gateway.stop();
  await provider.stop();
});

const bodyOf = (bytes: number) => ({
  model: "gpt-4o-mini",
  messages: [{ role: "user", content: "x".repeat(bytes) }],
});

it("calls with large bodies that wait for a provider leave room for another organization's, and for small ones", async () => {
  const { id } = await gateway.store.createOrganization("other", "enterprise", Date.now());
  const other = {
    authorization: `Bearer ${(await gateway.store.createKey(id, "live", "write", Date.now())).key}`,
  };
  const call = (bytes: number, headers = {}) => gateway.post("/v1/chat/completions", bodyOf(bytes), headers);

  const waiting = [call(3.9 * MB), call(3.9 * MB)];
  await eventually("both are at the provider", () => provider.count === 2);
  const refused = await call(3.9 * MB);
  expect([refused.status, refused.headers.get("retry-after"), await refused.json()]).toEqual([
    503,
    "1",
    OVERLOADED,
  ]);
  waiting.push(call(10), call(3.9 * MB, other), call(3.9 * MB, other));
  await eventually("the others are at the provider", () => provider.count === 5);
  expect((await call(3.9 * MB, other)).status).toBe(503);

  // What arrives slowly takes room, too.
  const slow = await sendBytes(gateway.url, [
    `POST /v1/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.liveKey}\r\n` +
      "content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n",
    `40000\r\n${" ".repeat(0x40000)}\r\n`,
  ]);
  expect([slow.status, slow.body]).toEqual([503, JSON.stringify(OVERLOADED)]);

  answerAll.resolve();
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect((await call(7.9 * MB)).status).toBe(200);
  expect(gateway.events()).toHaveLength(6);
});

it("what is parsed from a body counts: many small values take more memory than their bytes", async () => {
  const values = (count: number) => ({
    ...bodyOf(1),
    metadata: { a: Array.from({ length: count }, () => ({})) },
  });
  const waiting = gateway.post("/v1/chat/completions", values(30_000));
  await eventually("it is at the provider", () => provider.count === 1);
  const refused = await gateway.post("/v1/chat/completions", values(40_000));
  expect([refused.status, await refused.json()]).toEqual([503, OVERLOADED]);
  answerAll.resolve();
  expect((await waiting).status).toBe(200);
  // Refused calls give their room back, too.
  for (let call = 0; call < 3; call++) {
    expect((await gateway.post("/v1/chat/completions", { ...values(50_000), n: 1000 })).status).toBe(400);
  }
  expect((await gateway.post("/v1/chat/completions", values(50_000))).status).toBe(200);
});

it("GW-024 a body of more values than any provider accepts is refused before it is parsed", async () => {
  const ids = (count: number) => ({
    model: "text-embedding-3-small",
    input: Array.from({ length: count }, () => 1),
  });
  const refused = await gateway.post("/v1/embeddings", ids(500_000));
  expect([refused.status, await refused.json()]).toEqual([
    400,
    { error: "the request holds more than 500,000 values" },
  ]);
  expect(provider.count).toBe(0);
});

it("what an export unpacks to counts", async () => {
  const report = (bytes: number) =>
    fetch(`${gateway.url}/v1/traces`, {
      method: "POST",
      body: gzipSync(JSON.stringify({ padding: "x".repeat(bytes) })),
      headers: {
        authorization: `Bearer ${gateway.liveKey}`,
        "content-type": "application/json",
        "content-encoding": "gzip",
      },
    });
  const refused = await report(8.1 * MB);
  expect([refused.status, refused.headers.get("retry-after"), await refused.json()]).toMatchObject([
    503,
    "1",
    OVERLOADED,
  ]);
  for (let sent = 0; sent < 3; sent++) expect((await report(7.9 * MB)).status).toBe(200);
});

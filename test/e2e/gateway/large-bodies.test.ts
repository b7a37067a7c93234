import { afterAll, beforeAll, expect, it } from "bun:test";
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

beforeAll(async () => {
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
afterAll(async () => {
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

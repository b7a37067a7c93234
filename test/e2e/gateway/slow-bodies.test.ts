import { afterAll, beforeAll, describe, expect, it } from "bun:test";
import { callEndpoints } from "../../support/clients/call-endpoints.ts";
import { drip, dripBody } from "../../support/clients/drip-body.ts";
import { sendBytes } from "../../support/clients/send-bytes.ts";
import { startTestGateway, type TestGateway } from "../../support/labs/test-gateway.ts";
import { eventually } from "../../support/waiting/eventually.ts";

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({ requestTimeoutMs: 300 });
});
afterAll(() => gateway.stop());

const paths = [
  ...callEndpoints.map(({ path }) => path),
  "/v1/messages/count_tokens",
  "/v1/responses/resp_1/cancel",
  "/v1/events",
  "/v1/traces",
];

describe("a body that never ends", () => {
  for (const path of paths) {
    it(`SEC-011 is 408 on ${path}, and the connection is closed`, async () => {
      const answer = await dripBody(gateway.url, path, gateway.headers());
      expect(answer.status).toBe(408);
      expect(JSON.parse(answer.body)).toMatchObject({
        error: "the request body was not complete within 0.3 seconds (SVC_REQUEST_TIMEOUT_MS)",
      });
    });
  }

  for (const [whose, headers] of [
    ["without a key", { "content-type": "application/json" }],
    ["with a wrong key", { "content-type": "application/json", authorization: "Bearer sk_live_wrong" }],
  ] as const) {
    it(`SEC-011 is not awaited ${whose}: 401, and the connection is closed`, async () => {
      const answers = await Promise.all(paths.map(path => dripBody(gateway.url, path, headers)));
      expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 401));
    });
  }

  it("SEC-011 is 408 without Content-Length, too", async () => {
    const headers = gateway.headers({ "transfer-encoding": "chunked" });
    expect((await dripBody(gateway.url, "/v1/chat/completions", headers)).status).toBe(408);
  });

  for (const [what, status] of [
    ["GET /health", 200],
    ["GET /v1/models", 200],
    ["DELETE /v1/responses/resp_1", 408],
    ["POST /nowhere", 404],
  ] as const) {
    it(`SEC-011 keeps no connection open where no body is expected: ${what}`, async () => {
      expect((await drip(gateway.url, what, gateway.headers())).status).toBe(status);
    });
  }
});

it("an answer to a complete request keeps the connection open, even if it is a refusal", async () => {
  const unknown = "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}";
  const answer = await sendBytes(gateway.url, [unknown]);
  expect(answer.status).toBe(401);
  expect(answer.text.toLowerCase()).not.toContain("connection: close");
});

it("a client that sends much before it reads gets its refusal, not a closed connection", async () => {
  const body = "x".repeat(5_000_000);
  for (const [authorization, status] of [
    ["Bearer sk_live_wrong", 401],
    [`Bearer ${gateway.liveKey}`, 400],
  ] as const) {
    const headers = { authorization, "x-provider-key": "" };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", headers, body }),
      ),
    );
    expect(answers.map(answer => answer.status)).toEqual(Array(5).fill(status));
  }
});

it("a client that disconnects in the middle of its body is not a fault, and logs nothing", async () => {
  const rejected = async () => {
    const text = await (await fetch(`${gateway.url}/metrics`)).text();
    return [...text.matchAll(/^svc_gateway_rejected_total\{.*\} (\d+)$/gm)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    );
  };
  const before = await rejected();
  for (const path of paths) {
    const lines = Object.entries(gateway.headers()).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 500\r\n${lines.join("")}\r\n`;
    await sendBytes(gateway.url, [head, '{"model"'], { patienceMs: 50 });
  }
  await eventually("all of them are counted", async () => (await rejected()) - before === paths.length);
  expect(gateway.logged).toEqual([]);
});
